import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";

/**
 * Returns the certificates of Node's default certificate authorities and of those in a file. Throws `SVC_CONFIG` if the file cannot be
 * read.
 */
export function readCaCertificates(path: string): readonly string[] {
	try {
		return [...rootCertificates, readFileSync(path, "utf8")];
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `content.ca_file: "${path}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	}
}
