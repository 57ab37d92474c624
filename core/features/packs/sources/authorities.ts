import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { SvcError, toErrorMessage } from "../../../contract/index.ts";

/** The authorities that are known, and those of a file. */
export function readAuthorities(path: string): readonly string[] {
	try {
		return [...rootCertificates, readFileSync(path, "utf8")];
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `content.ca_file: "${path}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	}
}
