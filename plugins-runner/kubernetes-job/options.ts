import { SvcError } from "../../core/contract/index.ts";

export interface KubernetesJobOptions {
	/** Address of the API server, `https://…`. Default: that of the cluster in which the service runs as a pod. */
	readonly server?: string;
	/** Path of a kubeconfig, in the place of server, certificates and token. It and the files that it names are read again for each request. */
	readonly kubeconfig?: string;
	/** Context of the kubeconfig. Default: its `current-context`. */
	readonly context?: string;
	/** Directory with `token`, `ca.crt` and `namespace`, of a service that runs as a pod. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
	readonly service_account_directory?: string;
	/** File with the certificates (PEM) of the authority that the server's certificate is checked by. Default: those that Node knows; in a pod, the cluster's. */
	readonly ca_file?: string;
	/** File with a bearer token. It is read again for each request, as tokens of pods change. */
	readonly token_file?: string;
	/** Files (PEM) with a client certificate and its key, in the place of a token. They are read again for each request. */
	readonly client_certificate_file?: string;
	readonly client_key_file?: string;
	/** Namespace of actions that name none. Default: that of the kubeconfig's context; in a pod, the pod's own; else `default`. */
	readonly namespace?: string;
	/** Namespaces that actions may name. Default: only the one above. */
	readonly namespaces?: readonly string[];
	/** Service accounts that actions may name. Default: none. */
	readonly service_accounts?: readonly string[];
	/**
	 * Beginnings of the images that actions may name, such as `registry.example.org/lab/`; one without a `/` means images without one. Default: all
	 * images.
	 */
	readonly images?: readonly string[];
	/** In a label of each job, for several services in one cluster. Default `svc`. */
	readonly installation?: string;
	/** Seconds after which the cluster removes a job that has ended, should the service not have done so. Default 86400. */
	readonly ttl_seconds_after_finished?: number;
	/** Seconds between TERM and KILL when a run is ended. Default 5. */
	readonly kill_grace?: number;
}

const name = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Plain JavaScript may say anything. */
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
		throw refuse("server", "must be an address that begins with https:// (http:// is for 127.0.0.1 alone)");
	for (const one of [namespace, ...namespaces]) if (!name.test(one)) throw refuse("namespace", `"${one}" is not a name of a namespace`);
	if (!name.test(installation)) throw refuse("installation", "must be small letters, digits and '-', 63 at most");
	if (!Number.isInteger(ttl) || ttl < 0) throw refuse("ttl_seconds_after_finished", "must be whole seconds");
	if (!Number.isInteger(kill_grace) || kill_grace < 0 || kill_grace > 3_600)
		throw refuse("kill_grace", "must be whole seconds from 0 to 3600");
	assertOneAccess(options);
	if ((options.client_certificate_file === undefined) !== (options.client_key_file === undefined)) {
		throw refuse("client_certificate_file", "and client_key_file are given together or not at all");
	}
}

/** Who is named twice, in two ways, is named wrongly. */
function assertOneAccess(options: KubernetesJobOptions): void {
	const { server, kubeconfig, context, service_account_directory } = options;
	if (context !== undefined && kubeconfig === undefined) throw refuse("context", "is for kubeconfig");
	const parts = ["server", "ca_file", "token_file", "client_certificate_file", "client_key_file", "service_account_directory"] as const;
	const second = kubeconfig === undefined ? undefined : parts.find((part) => options[part] !== undefined);
	if (second !== undefined) throw refuse(second, "and kubeconfig exclude each other");
	if (server !== undefined && service_account_directory !== undefined)
		throw refuse("service_account_directory", "is for services without server, which run as a pod");
}

/** A token must not travel in clear. */
export function isServer(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, hostname } = new URL(text);
	return protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
}

function refuse(option: string, what: string): SvcError {
	return new SvcError("SVC_CONFIG", `${option} of runner "kubernetes-job" ${what}`);
}
