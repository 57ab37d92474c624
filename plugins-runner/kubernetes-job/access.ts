import { readFile } from "node:fs/promises";
import { SvcError } from "../../core/contract/index.ts";

/** Where the API server is, and as whom it is asked. Certificates and key are texts (PEM). */
export interface Access {
	readonly server: URL;
	/** Namespace of whoever names none; undefined where nothing says it. */
	readonly namespace: string | undefined;
	readonly ca: string | undefined;
	readonly certificate: string | undefined;
	readonly key: string | undefined;
	/** Name that the server's certificate has, where it is another one than that of its address. */
	readonly serverName: string | undefined;
	readonly token: string | undefined;
}

/** The text of a file that the configuration names. */
export async function readFrom(path: string): Promise<string> {
	try {
		return await readFile(path, "utf8");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `runner "kubernetes-job" cannot read "${path}"`, { cause });
	}
}
