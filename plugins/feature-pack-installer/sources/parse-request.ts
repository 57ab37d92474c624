import { fileURLToPath, pathToFileURL } from "node:url";
import { SvcError } from "../../../core/contract/index.ts";
import { hasControlCharacters, isVersionRange } from "../../../core/feature.ts";
import { quote, toSegments } from "./pack-path.ts";
import { redactAddress } from "./url-credentials.ts";

/** Parsed request for a pack, as a user, a manifest or an index writes it. */
export interface PackRequest {
	/** Request as written, but without a password. */
	readonly text: string;
	/** Kind of source. A `directory` may prove to be a repository or an archive. */
	readonly kind: "index" | "git" | "archive" | "directory";
	/** Name of the pack in the index; only for the kind `index`. */
	readonly name?: string;
	/** Address including its password, if any. It is for fetching only and must not be stored in records. */
	readonly address?: string;
	/** Branch, tag, commit or version, or a range of versions such as `1.2.x`. */
	readonly revision?: string;
	/** Folder of the repository, archive or directory that contains the pack. */
	readonly subdirectory?: string;
}

const maxTextLength = 2_000;
const archiveEnd = /\.(?:tar\.gz|tgz|tar|zip)$/i;
const otherArchiveEnd = /\.(?:tar\.(?:bz2|xz|zst|lz|br)|tbz2?|txz|rar|7z|gz|bz2|xz)$/i;
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const repositoryPattern = /^[A-Za-z0-9_][\w.-]*\/[A-Za-z0-9_][\w.-]*$/;
const revisionPattern = /^[A-Za-z0-9_][A-Za-z0-9_.+@/-]{0,199}$/;
const rangePattern = /^[\w.+*^~<>=!|, -]{1,100}$/;
const hostPattern = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])$/;
const shortSshPattern = /^([A-Za-z0-9_][\w.-]*)@([^:/@]*):(.+)$/;

const forms =
	"a name in the index, org/repository, a URL that begins with https://, http://, ssh:// or file://, user@host:path, or an absolute path";

/**
 * Parses a request for a pack. Throws `SVC_INVALID` with the reason if it is not valid.
 *
 * @param publicHost base address for requests of the form `org/repository`
 */
export function parsePackRequest(text: string, publicHost = "https://github.com"): PackRequest {
	if (typeof text !== "string" || text.trim() === "") throw new SvcError("SVC_INVALID", `a pack is required: ${forms}`);
	if (text.length > maxTextLength) throw new SvcError("SVC_INVALID", `the source of a pack must have at most ${maxTextLength} characters`);
	const written = text.trim();
	const refuse = (reason: string) => new SvcError("SVC_INVALID", `pack ${quote(redactAddress(written))} ${reason}`);
	if (hasControlCharacters(written)) throw refuse("contains invisible or misleading characters");
	if (written.startsWith("-")) throw refuse("begins with a dash, as options do");
	if (/^[\w+.-]+::/.test(written)) throw refuse(`uses a git remote helper, which is not allowed; allowed: ${forms}`);
	const parts = split(written, refuse);
	const { place, revision, subdirectory } = parts;
	const { kind, name, address } = toPlace(place, { refuse, publicHost });
	if (kind === "archive" && revision !== undefined) throw refuse("is an archive, which has no revision");
	return {
		text: redactAddress(written),
		kind: kind === "directory" && revision !== undefined ? "git" : kind,
		...(name !== undefined && { name }),
		...(address !== undefined && { address }),
		...(revision !== undefined && { revision }),
		...(subdirectory !== undefined && { subdirectory }),
	};
}

type Refuse = (reason: string) => SvcError;

interface PackRequestFields {
	readonly place: string;
	readonly revision: string | undefined;
	readonly subdirectory: string | undefined;
}

/**
 * Splits `place=revision#subdirectory` or `place>=version`. Searches for `=`, `>` and `#` only in the path of a URL, because a password
 * before the path may contain them.
 */
function split(text: string, refuse: Refuse): PackRequestFields {
	const start = text.includes("://") ? text.indexOf("/", text.indexOf("://") + 3) : 0;
	if (start === -1) throw refuse("has no path");
	const [rest = "", ...fragments] = text.slice(start).split("#");
	if (fragments.length > 1) throw refuse('contains "#" twice; the directory of the pack follows "#"');
	const query = rest.indexOf("?");
	// A range may omit the leading `=`, as in other lists of dependencies: `disk>=1.2`.
	const sign = rest.search(/\s*(?:[<>]|!?=)/);
	const hasRevision = sign !== -1 && (query === -1 || sign < query);
	const place = text.slice(0, start) + (hasRevision ? rest.slice(0, sign) : rest);
	const revision = hasRevision
		? rest
				.slice(sign)
				.trim()
				.replace(/^=(?!=)\s*/, "")
		: undefined;
	if (revision !== undefined) assertRevision(revision, refuse);
	const [fragment] = fragments;
	return { place, revision, subdirectory: fragment === undefined ? undefined : toSubdirectory(fragment, refuse) };
}

/**
 * Throws unless the revision is a version range or a simple ref name. It refuses names that git could take for an option, a range or a
 * pattern.
 */
function assertRevision(revision: string, refuse: Refuse): void {
	if (rangePattern.test(revision) && isVersionRange(revision)) return;
	if (!revisionPattern.test(revision) || /\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/.test(revision)) {
		throw refuse(`has the revision ${quote(revision)}, which is not a valid branch, tag, commit or version`);
	}
}

function toSubdirectory(text: string, refuse: Refuse): string {
	const path = toSegments(text).join("/");
	if (path === "") throw refuse('has an empty directory after "#"');
	return path;
}

interface Place {
	readonly kind: PackRequest["kind"];
	readonly name?: string;
	readonly address?: string;
}

function toPlace(place: string, { refuse, publicHost }: { readonly refuse: Refuse; readonly publicHost: string }): Place {
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return toAddress(place, refuse);
	if (place.startsWith("/")) return toLocal(place, refuse);
	if (place.includes("?")) throw refuse(`is invalid; allowed: ${forms}`);
	const ssh = shortSshPattern.exec(place);
	if (ssh !== null) {
		assertHost(ssh[2] ?? "", refuse);
		if (ssh[3]?.startsWith("-")) throw refuse("has a path that begins with a dash, as options do");
		return { kind: "git", address: place };
	}
	if (repositoryPattern.test(place)) return { kind: "git", address: `${publicHost.replace(/\/+$/, "")}/${place}` };
	if (namePattern.test(place)) return { kind: "index", name: place };
	throw refuse(`is invalid; allowed: ${forms}`);
}

function toAddress(address: string, refuse: Refuse): Place {
	if (!URL.canParse(address)) throw refuse("is not a valid URL");
	const url = new URL(address);
	if (holdsUnseen(url.pathname)) throw refuse("contains invisible or misleading characters");
	switch (url.protocol) {
		case "file:":
			if (url.host !== "" || url.search !== "") throw refuse("must be file:// and an absolute path");
			return toLocal(toPath(url, refuse), refuse, true);
		case "ssh:":
			assertHost(url.hostname, refuse);
			if (url.password !== "") throw refuse("has a password, which ssh does not accept");
			if (url.username.startsWith("-") || url.search !== "") throw refuse("is not the URL of a repository");
			return { kind: "git", address };
		case "http:":
		case "https:":
			return { kind: toKind(url, refuse), address };
		default:
			throw refuse(`begins with ${url.protocol}//; allowed are https://, http://, ssh:// and file://`);
	}
}

function toKind({ pathname, search }: URL, refuse: Refuse): "archive" | "git" {
	if (archiveEnd.test(pathname)) return "archive";
	assertNoOtherArchive(pathname, refuse);
	if (search !== "") throw refuse('is not an archive, and URLs of repositories must not contain "?"');
	return "git";
}

/**
 * Returns the source for a local path. A plain path means the files as they are on disk; `file://` means the repository, if there is one.
 */
function toLocal(path: string, refuse: Refuse, isAddress = false): Place {
	if (path.split("/").includes("..")) throw refuse('must not hold ".."');
	assertNoOtherArchive(path, refuse);
	if (archiveEnd.test(path)) return { kind: "archive", address: path };
	return { kind: isAddress && /\.git\/?$/.test(path) ? "git" : "directory", address: isAddress ? pathToFileURL(path).href : path };
}

function toPath(url: URL, refuse: Refuse): string {
	try {
		return fileURLToPath(url);
	} catch {
		throw refuse("must be file:// and an absolute path");
	}
}

function assertNoOtherArchive(path: string, refuse: Refuse): void {
	if (!archiveEnd.test(path) && otherArchiveEnd.test(path))
		throw refuse("is an archive of an unsupported type; allowed are .tar.gz, .tgz, .tar and .zip");
}

function assertHost(host: string, refuse: Refuse): void {
	if (!hostPattern.test(host)) throw refuse("has no valid host");
}

function holdsUnseen(path: string): boolean {
	try {
		return hasControlCharacters(decodeURIComponent(path));
	} catch {
		return true;
	}
}
