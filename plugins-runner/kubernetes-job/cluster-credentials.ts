import { readFile } from "node:fs/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Address and credentials of the API server. Certificates and the key are PEM strings. */
export interface ClusterCredentials {
	readonly server: URL;
	/** Default namespace of actions that name none; undefined if the configuration contains none. */
	readonly namespace: string | undefined;
	readonly ca: string | undefined;
	readonly certificate: string | undefined;
	readonly key: string | undefined;
	/** Host name in the server's certificate, if it differs from the host name of the address. */
	readonly serverName: string | undefined;
	readonly token: string | undefined;
}

/** Returns the contents of a file that the configuration names. Throws `SVC_CONFIG` if the file cannot be read. */
export async function readFrom(path: string): Promise<string> {
	try {
		return await readFile(path, "utf8");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `runner "kubernetes-job" cannot read "${path}"`, { cause });
	}
}
