import { type JsonObject, type PackEntity, SvcError } from "../../../core/contract/index.ts";
import { isInRange, isVersionRange } from "../../../core/feature.ts";
import { isLocal } from "../sources/local-source.ts";
import type { FetchedPack, PackSource } from "../sources/pack-fetcher.ts";
import type { PackRequest } from "../sources/parse-request.ts";

/** Pack that was fetched and may be installed. */
export interface CandidatePack extends FetchedPack {
	readonly ref: string;
	readonly version: string;
	readonly metadata: JsonObject;
	/** Requests that led to the pack, as written: from the caller's request to the request for the pack itself. */
	readonly trail: readonly string[];
}

/** Fields of an installed pack by which dependencies on it are checked. */
export type KnownPack = Pick<PackEntity, "ref" | "version" | "metadata"> & {
	readonly source: Readonly<Partial<Record<keyof PackSource, unknown>>> | null;
};

export interface PackSetOptions {
	/** Installed packs. */
	readonly installed: readonly KnownPack[];
	readonly force: boolean;
	readonly skipDependencies: boolean;
	parse(text: string): PackRequest;
	fetch(request: PackRequest): Promise<Omit<CandidatePack, "trail">>;
}

/** Maximum depth of nested dependencies. */
const maxDepth = 3;
/**
 * Maximum number of dependencies that are fetched, including those that are not installed afterwards. Otherwise, packs could make the
 * service fetch without end.
 */
const maxDependencies = 100;

interface Wanted {
	readonly request: PackRequest;
	/** Requests that led to this one, as written, beginning with the caller's request; empty for a request of the caller. */
	readonly trail: readonly string[];
	/** Ref of the pack that depends on it; undefined for a request of the caller. */
	readonly neededBy: string | undefined;
}

/** Packs to install together: the requested packs, and their dependencies that are not installed. Collecting them changes nothing. */
export class PackSet {
	readonly warnings: string[] = [];
	/** Reasons against the installation, unless it is forced. */
	readonly conflicts: string[] = [];
	readonly #parts: PackSetOptions;
	readonly #packs = new Map<string, CandidatePack>();
	/** Refs of the packs in the set that a pack depends on, by its ref. */
	readonly #needs = new Map<string, Set<string>>();
	/** Number of dependencies that were fetched. */
	#dependencies = 0;

	constructor(parts: PackSetOptions) {
		this.#parts = parts;
	}

	/**
	 * Fetches the requested packs and their dependencies, level by level, and finds conflicts. Throws `SVC_INVALID` if more than 100
	 * dependencies are needed.
	 */
	async collect(requests: readonly PackRequest[]): Promise<void> {
		let wanted: readonly Wanted[] = unlike(requests).map((request) => ({ request, trail: [], neededBy: undefined }));
		while (wanted.length > 0) {
			const next: Wanted[] = [];
			for (const one of wanted) next.push(...(await this.#take(one)));
			wanted = next;
		}
		this.#findDependents();
		this.#findCycles();
	}

	/** Returns the packs in installation order: each pack comes after its dependencies, except in a cycle. */
	ordered(): readonly CandidatePack[] {
		const ordered: CandidatePack[] = [];
		const seen = new Set<string>();
		const visit = (ref: string) => {
			if (seen.has(ref)) return;
			seen.add(ref);
			for (const needed of this.#needs.get(ref) ?? []) visit(needed);
			const pack = this.#packs.get(ref);
			if (pack !== undefined) ordered.push(pack);
		};
		for (const ref of this.#packs.keys()) visit(ref);
		return ordered;
	}

	/** Fetches one pack and adds it to the set. Returns the requests for its dependencies. */
	async #take({ request, trail, neededBy }: Wanted): Promise<readonly Wanted[]> {
		if (neededBy !== undefined && this.#isThere(request, trail, neededBy)) return [];
		if (trail.length > maxDepth) {
			this.conflicts.push(
				`${describe(request, trail)}: dependencies are nested more than ${maxDepth} levels deep; install it separately first`,
			);
			return [];
		}
		if (neededBy !== undefined && (this.#dependencies += 1) > maxDependencies)
			throw new SvcError("SVC_INVALID", `packs: at most ${maxDependencies} dependencies are allowed in one installation`);
		const found = { ...(await this.#parts.fetch(request)), trail: [...trail, request.text] };
		if (neededBy !== undefined) this.#needs.get(neededBy)?.add(found.ref);
		if (neededBy !== undefined && this.#isKept(found, request, trail)) return [];
		const known = this.#packs.get(found.ref);
		if (known !== undefined) {
			if (known.version !== found.version || known.source.address !== found.source.address)
				this.conflicts.push(`pack "${found.ref}" is requested twice: ${toPlace(known)} and ${toPlace(found)}`);
			return [];
		}
		this.#packs.set(found.ref, found);
		this.#needs.set(found.ref, new Set());
		return this.#parts.skipDependencies ? [] : this.#dependenciesOf(found);
	}

	#dependenciesOf({ ref, metadata, trail, source }: CandidatePack): readonly Wanted[] {
		return toDependencies(metadata).flatMap((text) => {
			try {
				if (typeof text !== "string") throw new SvcError("SVC_INVALID", "must be a string");
				const request = this.#parts.parse(text);
				if (isLocal(request) && !isLocal(source)) throw new SvcError("SVC_INVALID", "only a local pack may name local files");
				return [{ request, trail, neededBy: ref }];
			} catch (error) {
				const message = error instanceof Error ? error.message : String(error);
				this.conflicts.push(`pack "${ref}" has an invalid dependency (${String(JSON.stringify(text)).slice(0, 100)}): ${message}`);
				return [];
			}
		});
	}

	/**
	 * True if a dependency need not be fetched, because it is in the set or installed. Records a conflict if its version does not match.
	 */
	#isThere(request: PackRequest, trail: readonly string[], neededBy: string): boolean {
		const ofSet = [...this.#packs.values()].find((pack) => isMeant(pack, request));
		if (ofSet !== undefined) {
			this.#needs.get(neededBy)?.add(ofSet.ref);
			if (!fits(ofSet, request)) this.conflicts.push(`${describe(request, trail)}, but ${toPlace(ofSet)} would be installed`);
			return true;
		}
		const installed = this.#parts.installed.find((pack) => isMeant(pack, request));
		if (installed === undefined) return false;
		if (fits(installed, request)) return true;
		this.conflicts.push(
			`${describe(request, trail)}, but version ${installed.version} is installed; install the other version separately first`,
		);
		// With `force`, the required version is fetched.
		return !this.#parts.force;
	}

	/**
	 * Returns true if a pack with the ref of the fetched dependency is installed and remains, whatever its source. If its version does not
	 * match, records a conflict; `force` then replaces the pack.
	 */
	#isKept({ ref, version }: Omit<CandidatePack, "trail">, request: PackRequest, trail: readonly string[]): boolean {
		if (this.#packs.has(ref)) return false;
		const installed = this.#parts.installed.find((pack) => pack.ref === ref);
		if (installed === undefined) return false;
		const kept = `version ${installed.version} of "${ref}" is installed${fromText(installed)}`;
		if (installed.version === version || fits(installed, request)) {
			this.warnings.push(`${describe(request, trail)}: ${kept} and is kept`);
			return true;
		}
		this.conflicts.push(`${describe(request, trail)} and is version ${version}, but ${kept}; install the other version separately first`);
		return !this.#parts.force;
	}

	/** Records a conflict for each installed pack that needs another version than the one to be installed. */
	#findDependents(): void {
		for (const { ref, metadata } of this.#parts.installed) {
			if (this.#packs.has(ref)) continue;
			for (const request of this.#understood(metadata)) {
				const pack = this.#replacementFor(request);
				if (pack !== undefined)
					this.conflicts.push(`installed pack "${ref}" requires "${request.text}", but ${toPlace(pack)} would be installed`);
			}
		}
	}

	/** Returns the pack of the set that an installed pack would then depend on, also as a replacement, if its version does not match. */
	#replacementFor(request: PackRequest): CandidatePack | undefined {
		const meant = [...this.#packs.values()].find((candidate) => isMeant(candidate, request));
		if (meant !== undefined) return fits(meant, request) ? undefined : meant;
		const installed = this.#parts.installed.find((pack) => isMeant(pack, request));
		const replacement = installed && this.#packs.get(installed.ref);
		// Only versions can be compared with a pack from another address: a branch or commit identifies nothing in other files.
		if (replacement === undefined || !isVersionRange(request.revision ?? "")) return undefined;
		return fits(replacement, request) ? undefined : replacement;
	}

	#understood(metadata: JsonObject): readonly PackRequest[] {
		return toDependencies(metadata).flatMap((text) => {
			try {
				return typeof text === "string" ? [this.#parts.parse(text)] : [];
			} catch {
				return [];
			}
		});
	}

	#findCycles(): void {
		const done = new Set<string>();
		const visit = (ref: string, path: readonly string[]) => {
			const begin = path.indexOf(ref);
			if (begin >= 0) this.conflicts.push(`packs depend on each other: ${[...path.slice(begin), ref].join(" -> ")}`);
			if (begin >= 0 || done.has(ref)) return;
			for (const needed of this.#needs.get(ref) ?? []) visit(needed, [...path, ref]);
			done.add(ref);
		};
		for (const ref of this.#packs.keys()) visit(ref, []);
	}
}

/** Returns the dependencies that a manifest lists, unparsed and unchecked. */
export function toDependencies(metadata: JsonObject): readonly unknown[] {
	const dependencies = metadata["dependencies"];
	return Array.isArray(dependencies) ? dependencies : [];
}

/** Returns true if a request names the pack: by its ref, or by its address and subdirectory. */
export function isMeant({ ref, source }: Pick<KnownPack, "ref" | "source">, { kind, name, address, subdirectory }: PackRequest): boolean {
	if (kind === "index") return name === ref;
	return (
		address !== undefined &&
		sameAddress(source?.["address"], address) &&
		(source?.["subdirectory"] ?? undefined) === (subdirectory ?? undefined)
	);
}

/** Returns true if the version, revision or commit of the pack matches the request. */
export function fits({ version, source }: Pick<KnownPack, "version" | "source">, { revision }: PackRequest): boolean {
	if (revision === undefined || revision === source?.["revision"]) return true;
	const commit = source?.["commit"];
	if (typeof commit === "string" && revision.length >= 7 && commit.startsWith(revision)) return true;
	return isVersionRange(revision) && isInRange(version, revision);
}

/** Returns true if two addresses name the same repository, with or without a trailing slash or `.git`. */
function sameAddress(a: unknown, b: string): boolean {
	const plain = (address: string) => address.replace(/\/+$/, "").replace(/\.git$/, "");
	return typeof a === "string" && plain(a) === plain(b);
}

function fromText({ source }: KnownPack): string {
	const address = source?.address;
	return typeof address === "string" ? ` from ${address}` : "";
}

function unlike(requests: readonly PackRequest[]): readonly PackRequest[] {
	return [...new Map(requests.map((request) => [request.text, request])).values()];
}

function describe({ text }: PackRequest, trail: readonly string[]): string {
	return trail.length === 0 ? `"${text}"` : `"${text}" is required by ${trail.map((name) => `"${name}"`).join(", which is required by ")}`;
}

function toPlace({ ref, version, source }: { readonly ref: string; readonly version: string; readonly source: PackSource }): string {
	return `version ${version} of "${ref}" from ${source.address}`;
}
