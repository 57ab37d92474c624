import { SvcError } from "../../../contract/index.ts";

/** Name and password for a server. */
export interface Credentials {
	readonly username: string;
	readonly password: string;
}

/** An address without a password, for records, output and the log. What stands behind a question mark may be one, too. */
export function toShownAddress(address: string): string {
	// What is no address may still hold a password: with one character that is not allowed in it, none is found to be left out.
	if (!URL.canParse(address)) return address.replace(/:\/\/[^]*@/, "://").replace(/\?[^]*$/, "");
	const url = new URL(address);
	if (url.protocol !== "ssh:") url.username = "";
	url.password = "";
	url.search = "";
	return url.href;
}

/** What an address says of whoever asks. */
export function credentialsOf(url: URL): Credentials | undefined {
	if (url.username === "" && url.password === "") return undefined;
	return { username: decode(url.username), password: decode(url.password) };
}

/** The header that says so to a server. */
export function toAuthorization({ username, password }: Credentials): string {
	return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch (cause) {
		throw new SvcError("SVC_INVALID", "name and password in an address: a percent sign must be followed by two hexadecimal digits", {
			cause,
		});
	}
}
