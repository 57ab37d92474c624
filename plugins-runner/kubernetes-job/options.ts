import { SvcError } from "../../core/contract/index.ts";

export interface KubernetesJobOptions {
	/** Address of the API server, `https://…`. Default: the server of the cluster in which the service runs as a pod. */
	readonly server?: string;
	/**
	 * Path of a kubeconfig, instead of server, certificates and token. The service reads it, and the files that it names, again for each
	 * request.
	 */
	readonly kubeconfig?: string;
	/** Context of the kubeconfig. Default: its `current-context`. */
	readonly context?: string;
	/**
	 * Directory with `token`, `ca.crt` and `namespace`, if the service runs as a pod. Default
	 * `/var/run/secrets/kubernetes.io/serviceaccount`.
	 */
	readonly service_account_directory?: string;
	/**
	 * File with the CA certificates (PEM) that verify the server's certificate. Default: the CA of the cluster in a pod, otherwise those of
	 * Node.js.
	 */
	readonly ca_file?: string;
	/** File with a bearer token. The service reads it again for each request, because tokens of pods change. */
	readonly token_file?: string;
	/** Files (PEM) with a client certificate and its key, instead of a token. The service reads them again for each request. */
	readonly client_certificate_file?: string;
	readonly client_key_file?: string;
	/** Namespace of actions that name none. Default: the namespace of the kubeconfig's context, or of the pod; otherwise `default`. */
	readonly namespace?: string;
	/** Namespaces that actions may name. Default: only the namespace of actions that name none. */
	readonly namespaces?: readonly string[];
	/** Service accounts that actions may name. Default: none. */
	readonly service_accounts?: readonly string[];
	/**
	 * Prefixes of the images that actions may name, such as `registry.example.org/lab/`. A prefix without a `/` matches only images without
	 * one. Default: all images.
	 */
	readonly images?: readonly string[];
	/** Value of a label of each job, which separates several services in one cluster. Default `svc`. */
	readonly installation?: string;
	/** Seconds after which the cluster deletes an ended job that the service has not deleted. Default 86400. */
	readonly ttl_seconds_after_finished?: number;
	/** Seconds between TERM and KILL when a run is ended. Default 5. */
	readonly kill_grace?: number;
}

const name = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Validates the options at run time, because callers in plain JavaScript have no type check. Throws `SVC_CONFIG`. */
export function assertOptions(options: KubernetesJobOptions): void {
	const {
		server,
		namespace = "default",
		namespaces = [],
		installation = "svc",
		ttl_seconds_after_finished: ttl = 0,
		kill_grace = 0,
	} = options;
	if (server !== undefined && !isServer(server))
		throw refuse("server", "must be a URL that begins with https:// (http:// only for 127.0.0.1)");
	for (const one of [namespace, ...namespaces]) if (!name.test(one)) throw refuse("namespace", `"${one}" is not a valid namespace`);
	if (!name.test(installation)) throw refuse("installation", "must be at most 63 lower-case letters, digits and '-'");
	if (!Number.isInteger(ttl) || ttl < 0) throw refuse("ttl_seconds_after_finished", "must be a whole number of seconds");
	if (!Number.isInteger(kill_grace) || kill_grace < 0 || kill_grace > 3_600)
		throw refuse("kill_grace", "must be a whole number of seconds from 0 to 3600");
	assertOneAccess(options);
	if ((options.client_certificate_file === undefined) !== (options.client_key_file === undefined)) {
		throw refuse("client_certificate_file", "and client_key_file must be set together");
	}
}

/** Throws `SVC_CONFIG` if the options select credentials in two ways. */
function assertOneAccess(options: KubernetesJobOptions): void {
	const { server, kubeconfig, context, service_account_directory } = options;
	if (context !== undefined && kubeconfig === undefined) throw refuse("context", "is for kubeconfig");
	const parts = ["server", "ca_file", "token_file", "client_certificate_file", "client_key_file", "service_account_directory"] as const;
	const second = kubeconfig === undefined ? undefined : parts.find((part) => options[part] !== undefined);
	if (second !== undefined) throw refuse(second, "and kubeconfig cannot be combined");
	if (server !== undefined && service_account_directory !== undefined)
		throw refuse("service_account_directory", "is only allowed without server, if the service runs as a pod");
}

/** Returns true for an https address, or http on 127.0.0.1. A token must not be sent unencrypted over a network. */
export function isServer(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, hostname } = new URL(text);
	return protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
}

function refuse(option: string, what: string): SvcError {
	return new SvcError("SVC_CONFIG", `${option} of runner "kubernetes-job" ${what}`);
}
