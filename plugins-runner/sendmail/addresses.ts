import { domainToASCII } from "node:url";
import { SvcError } from "../../core/contract/index.ts";
import { encodeWords } from "./encode-words.ts";

/**
 * The addresses of a list, as they stand in a header: `ann@example.com, Bob <bob@example.com>`. Narrower than the standard on
 * purpose: mail systems take what begins with `|`, `/`, `-` or `:` for a program, a file, an option or a list of addresses.
 */
export function toAddresses(field: string, text: string): string {
	const addresses = text.split(",").map((address) => address.trim());
	if (addresses.every((address) => address === "")) throw invalid(`${field} must name somebody`);
	// Each on a line of its own, as there is a limit to how long a line may be.
	return addresses.map((address) => toAddress(field, address)).join(",\n ");
}

/** One address, as it stands in a header. */
export function toAddress(field: string, text: string): string {
	const named = /^([^<>]*)<([^<>]*)>$/.exec(text.trim());
	if (named === null) return toBare(field, text.trim());
	const [, name = "", address = ""] = named;
	return `${toName(field, name.trim())}<${toBare(field, address.trim())}>`;
}

/** A user of this machine, or `user@domain`. */
function toBare(field: string, address: string): string {
	const at = address.lastIndexOf("@");
	const [local, domain] = at < 0 ? [address, undefined] : [address.slice(0, at), address.slice(at + 1)];
	const isLocal = local.length <= 64 && /^[A-Za-z0-9_](?:[A-Za-z0-9_+=~'#&*-]|\.(?!\.|$))*$/.test(local);
	const host = domain === undefined ? undefined : domainToASCII(domain);
	const isHost = host === undefined || (host.length <= 253 && /^[A-Za-z0-9](?:[A-Za-z0-9-]|\.(?!\.|$))*$/.test(host));
	if (!isLocal || !isHost) throw invalid(`${field}: "${address.slice(0, 100)}" is no address that mail is sent to`);
	return host === undefined ? local : `${local}@${host}`;
}

function toName(field: string, quoted: string): string {
	const name = quoted.replace(/^"(.*)"$/, "$1");
	if (name === "") return "";
	if (/["\\\p{Cc}]/u.test(name)) throw invalid(`${field}: a name must not hold quotes, backslashes or control characters`);
	return `${/^[ -~]*$/.test(name) ? `"${name}"` : encodeWords(name)} `;
}

function invalid(message: string): SvcError {
	return new SvcError("SVC_INVALID", message);
}
