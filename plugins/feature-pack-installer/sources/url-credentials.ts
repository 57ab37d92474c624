import { SvcError } from "../../../core/contract/index.ts";

/** User name and password for a server. */
export interface Credentials {
	readonly username: string;
	readonly password: string;
}

/**
 * Returns an address without password and query, for records, output and the log; the query may contain a token. The user name is only kept
 * for SSH.
 */
export function redactAddress(address: string): string {
	// An invalid address cannot be parsed, but may still contain a password. So remove every part that could be one.
	if (!URL.canParse(address)) return address.replace(/:\/\/[^]*@/, "://").replace(/\?[^]*$/, "");
	const url = new URL(address);
	if (url.protocol !== "ssh:") url.username = "";
	url.password = "";
	url.search = "";
	return url.href;
}

/** Returns the user name and password in an address, or undefined if it contains none. */
export function credentialsOf(url: URL): Credentials | undefined {
	if (url.username === "" && url.password === "") return undefined;
	return { username: decode(url.username), password: decode(url.password) };
}

/** Returns the `Authorization` header for the credentials. */
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
