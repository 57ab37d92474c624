import { join } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import { type Access, readFrom } from "./access.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import type { KubernetesJobOptions } from "./options.ts";

/** Where a pod finds the account that its cluster has given it. */
const ofPod = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reads every file anew: tokens of pods change, and certificates run out. Asks no server. */
export async function findAccess(options: KubernetesJobOptions): Promise<Access> {
	if (options.kubeconfig !== undefined) return readKubeconfig(options.kubeconfig, options.context);
	return options.server === undefined ? readOfPod(options) : readOptions(options.server, options);
}

async function readOptions(server: string, options: KubernetesJobOptions): Promise<Access> {
	const { ca_file, token_file, client_certificate_file, client_key_file, namespace } = options;
	const [ca, token, certificate, key] = await Promise.all(
		[ca_file, token_file, client_certificate_file, client_key_file].map((path) => (path === undefined ? undefined : readFrom(path))),
	);
	return { server: new URL(server), namespace, ca, token: token?.trim(), certificate, key, serverName: undefined };
}

async function readOfPod(options: KubernetesJobOptions): Promise<Access> {
	const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
	if (!host)
		throw new SvcError("SVC_CONFIG", 'runner "kubernetes-job" needs the option server or kubeconfig, as this is no pod of a cluster');
	const { service_account_directory: directory = ofPod, namespace } = options;
	const files = { ca_file: join(directory, "ca.crt"), token_file: join(directory, "token") };
	const access = await readOptions(`https://${host.includes(":") ? `[${host}]` : host}:${port}`, { ...files, ...options });
	return { ...access, namespace: namespace ?? (await readFrom(join(directory, "namespace"))).trim() };
}
