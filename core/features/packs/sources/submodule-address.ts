import { isIP } from "node:net";
import { SvcError } from "../../../contract/index.ts";
import { toShownAddress } from "./pack-address.ts";
import { type PackRequest, parsePackRequest } from "./parse-request.ts";
import { quote } from "./plain-path.ts";

const shortSsh = /^([^/:@]+@[^/:@]+:)(.*)$/;

/**
 * Returns where a submodule is. Its address is chosen by the author of the repository, and not by who installs: it may name nothing on this
 * machine unless the repository is on it, no unencrypted address and no IP address or local name but on the repository's own host.
 *
 * @param url as `.gitmodules` has it, absolute or relative to the repository
 * @param parent address of the repository
 */
export function toSubmoduleRequest(url: string, parent: string): PackRequest {
	const refuse = (reason: string) => new SvcError("SVC_INVALID", `its address ${quote(toShownAddress(url))} ${reason}`);
	const absolute = /^\.{1,2}(?:\/|$)/.test(url) ? resolveAddress(url, parent) : url;
	if (absolute === undefined) throw refuse("leads out of the host of the repository");
	const isPath = absolute.startsWith("/");
	if (!isPath && !absolute.includes("://") && !shortSsh.test(absolute)) throw refuse("must be an address of a repository");
	const request = parsePackRequest(isPath ? `file://${encodeURI(absolute)}` : absolute);
	if (request.kind === "archive" || request.revision !== undefined || request.subdirectory !== undefined)
		throw refuse("must be an address of a repository, and nothing else");
	const isLocal = request.address?.startsWith("file://") === true || request.address?.startsWith("/") === true;
	if (isLocal && !parent.startsWith("file://")) throw refuse("is on this machine, and the repository is not");
	if (!isLocal) assertHost(absolute, parent, refuse);
	return { ...request, kind: "git" };
}

function assertHost(address: string, parent: string, refuse: (reason: string) => SvcError): void {
	const host = hostOf(address);
	if (host === hostOf(parent) && (!/^http:/i.test(address) || /^http:/i.test(parent))) return;
	if (/^http:/i.test(address)) throw refuse("is not encrypted, and the repository is, or is on another host");
	if (isIP(host.replace(/^\[|\]$/g, "")) !== 0 || /^(?:.*\.)?localhost\.?$/i.test(host))
		throw refuse("is an IP address or a name of this machine, and not that of the repository");
}

function hostOf(address: string): string {
	if (URL.canParse(address) && address.includes("://")) return new URL(address).hostname;
	return /@([^:]*):/.exec(address)?.[1] ?? "";
}

/** As git does: each `../` takes away a part of the path. Undefined if there is none left. */
function resolveAddress(relative: string, parent: string): string | undefined {
	const isUrl = parent.includes("://");
	const [, start = "", path = ""] = isUrl ? (/^([^:]+:\/\/[^/]*\/)([^]*)$/.exec(parent) ?? []) : (shortSsh.exec(parent) ?? []);
	if (start === "") return undefined;
	const segments = path.split("/").filter(Boolean);
	for (const part of relative.split("/").filter((segment) => segment !== "" && segment !== ".")) {
		if (part !== "..") segments.push(part);
		else if (segments.pop() === undefined) return undefined;
	}
	const isRooted = !isUrl && path.startsWith("/");
	return segments.length === 0 ? undefined : start + (isRooted ? "/" : "") + segments.join("/");
}
