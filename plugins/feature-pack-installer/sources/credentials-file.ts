import { readFile } from "node:fs/promises";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { type Credentials, credentialsOf } from "./url-credentials.ts";

/** Returns the user name and password in the address, or else those of the credentials file for its server. Undefined if there are none. */
export async function findCredentials(url: URL, file: string): Promise<Credentials | undefined> {
	return credentialsOf(url) ?? (file === "" ? undefined : await findInFile(url, file));
}

async function findInFile({ origin }: URL, file: string): Promise<Credentials | undefined> {
	for (const line of (await readLines(file)).map((each) => each.trim())) {
		if (line === "" || line.startsWith("#") || !URL.canParse(line)) continue;
		const known = new URL(line);
		if (known.origin === origin) return credentialsOf(known);
	}
	return undefined;
}

async function readLines(file: string): Promise<readonly string[]> {
	try {
		return (await readFile(file, "utf8")).split("\n");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `content.credentials_file: "${file}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	}
}
