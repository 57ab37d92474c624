import { type JsonObject, type PackEntity, SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { isLocal } from "../sources/local-source.ts";
import type { PackRequest } from "../sources/parse-request.ts";

/** Entry of a lock file for one pack. */
export interface LockfileEntry {
	readonly ref: string;
	readonly version: string;
	readonly source: {
		readonly kind: "git" | "archive" | "directory";
		readonly address: string;
		readonly revision: string | null;
		readonly commit: string | null;
		readonly subdirectory: string | null;
	};
	/** SHA-256 of the files, in hexadecimal. */
	readonly content: string;
}

const kinds: readonly string[] = ["git", "archive", "directory"];

/** Returns the lock file entries of the installed packs, sorted by ref. */
export function toLockEntries(packs: readonly PackEntity[]): readonly LockfileEntry[] {
	const entries = packs.flatMap(({ ref, version, source, content }) =>
		source === null || content === null ? [] : [{ ref, version, source: toLockedSource(source), content }],
	);
	return entries.sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

/**
 * Checks lock file entries given by a caller. Throws `SVC_INVALID`, which names the first invalid entry.
 *
 * @param parse throws if a source must not be requested, regardless of the caller
 */
export function toLocked(entries: readonly unknown[], parse: (text: string) => PackRequest): readonly LockfileEntry[] {
	const seen = new Set<string>();
	return entries.map((entry, index) => {
		const refuse = (reason: string) => new SvcError("SVC_INVALID", `locked[${index}]: ${reason}`);
		const { ref, version, source, content } = isObject(entry) ? entry : {};
		if (typeof ref !== "string" || !/^[a-z0-9_]{1,255}$/.test(ref)) throw refuse('"ref" must be the ref of a pack');
		if (seen.has(ref)) throw refuse(`pack "${ref}" occurs twice`);
		seen.add(ref);
		if (typeof content !== "string" || !/^[0-9a-f]{64}$/.test(content)) throw refuse('"content" must be the hash of the files');
		if (!isObject(source) || typeof source["address"] !== "string" || !kinds.includes(String(source["kind"])))
			throw refuse(`"source" must have an address and a kind of ${kinds.join(", ")}`);
		const locked = toLockedSource(source);
		assertSource(locked, parse, refuse);
		return { ref, version: String(version ?? ""), source: locked, content };
	});
}

/**
 * Throws `SVC_INVALID` if a user could not request the source directly. For example, a relative path would refer to the service's own
 * directory.
 */
function assertSource(source: LockfileEntry["source"], parse: (text: string) => PackRequest, refuse: (reason: string) => SvcError): void {
	const { kind, address, subdirectory } = source;
	const plain = (text: string) => text.replaceAll("=", "%3D").replaceAll("#", "%23");
	const revision = kind === "git" ? (source.commit ?? source.revision) : null;
	const request = toRequest({ kind, address: plain(address), subdirectory: subdirectory === null ? null : plain(subdirectory) }, revision);
	const asked = ((): PackRequest => {
		try {
			return parse(request.text);
		} catch (error) {
			throw refuse(toErrorMessage(error));
		}
	})();
	const isWhole = asked.address === plain(address) || asked.address?.startsWith("file://") === true;
	if (asked.kind === "index" || !isWhole || (kind === "directory" && !isLocal(asked)))
		throw refuse('"source" must have a complete address of its kind');
	assertNoPassword(asked);
}

/**
 * Throws `SVC_INVALID` if an address contains a password, or a user name for a web server: many servers accept a token as the user name.
 */
export function assertNoPassword({ kind, text, address = "" }: PackRequest): void {
	if (kind === "directory" || !URL.canParse(address)) return;
	const { protocol, username, password } = new URL(address);
	if (password === "" && (username === "" || protocol === "ssh:")) return;
	throw new SvcError(
		"SVC_INVALID",
		`packs: "${text}" contains ${password === "" ? "a user name" : "a password"}, which all users who may view the execution can see; put it in content.credentials_file`,
	);
}

/**
 * Returns the request for exactly the installed files. A repository is requested by its commit, because its branches and tags may have
 * moved.
 */
export function toLockedRequest({ source: { kind, address, revision, commit, subdirectory } }: LockfileEntry): PackRequest {
	return toRequest({ kind, address, subdirectory }, kind === "git" ? (commit ?? revision) : null);
}

/** Returns the request that a user would write for this source. */
export function toRequest(
	{ kind, address, subdirectory }: Pick<LockfileEntry["source"], "kind" | "address" | "subdirectory">,
	revision: string | null,
): PackRequest {
	return {
		text: `${address}${revision === null ? "" : `=${revision}`}${subdirectory === null ? "" : `#${subdirectory}`}`,
		kind,
		address,
		...(revision !== null && { revision }),
		...(subdirectory !== null && { subdirectory }),
	};
}

/** Returns the source for a lock file. A source found by the index is already stored as a repository or an archive. */
export function toLockedSource(source: JsonObject): LockfileEntry["source"] {
	const text = (name: string) => (typeof source[name] === "string" ? (source[name] as string) : null);
	const kind = text("kind");
	return {
		kind: kind === "archive" || kind === "directory" ? kind : "git",
		address: text("address") ?? "",
		revision: text("revision"),
		commit: text("commit"),
		subdirectory: text("subdirectory"),
	};
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
