import type { JsonObject, PackEntity } from "../../../contract/index.ts";
import { SvcError } from "../../../contract/index.ts";
import { isInRange, isVersionRange } from "../../../language/version-range.ts";
import { isLocal } from "../sources/local-place.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { FetchedPack, PackSource } from "../sources/sources.ts";

/** A pack that was fetched and may be installed. */
export interface CandidatePack extends FetchedPack {
	readonly ref: string;
	readonly version: string;
	readonly metadata: JsonObject;
	/** Texts of those that asked for it, from a request of the caller to the pack itself. */
	readonly trail: readonly string[];
}

/** What of an installed pack matters to others. */
export type KnownPack = Pick<PackEntity, "ref" | "version" | "metadata"> & {
	readonly source: Readonly<Partial<Record<keyof PackSource, unknown>>> | null;
};

export interface PackSetOptions {
	/** What there is already. */
	readonly installed: readonly KnownPack[];
	readonly force: boolean;
	readonly skipDependencies: boolean;
	parse(text: string): PackRequest;
	fetch(request: PackRequest): Promise<Omit<CandidatePack, "trail">>;
}

/** Levels of dependencies of dependencies. */
const deepest = 3;
/** What is fetched because packs ask for it, whatever it turns out to be: they must not make the service fetch without end. */
const mostDependencies = 100;

interface Wanted {
	readonly request: PackRequest;
	/** Of whoever needs it, from the request of the caller on; empty: the caller. */
	readonly trail: readonly string[];
	/** Ref of the pack that needs it. */
	readonly neededBy: string | undefined;
}

/** The packs that are installed together: what was asked for, and what that needs and is not there. Nothing is changed by it. */
export class PackSet {
	readonly warnings: string[] = [];
	/** What stands against the installation, unless it is forced. */
	readonly conflicts: string[] = [];
	readonly #parts: PackSetOptions;
	readonly #packs = new Map<string, CandidatePack>();
	/** By ref, refs of those of the set that it needs. */
	readonly #needs = new Map<string, Set<string>>();
	/** How many were fetched. */
	#dependencies = 0;

	constructor(parts: PackSetOptions) {
		this.#parts = parts;
	}

	/** Fetch what is asked for and its dependencies, level by level. */
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

	/** Each behind those that it needs. */
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

	/** What has to be fetched because of it. */
	async #take({ request, trail, neededBy }: Wanted): Promise<readonly Wanted[]> {
		if (neededBy !== undefined && this.#isThere(request, trail, neededBy)) return [];
		if (trail.length > deepest) {
			this.conflicts.push(`${describe(request, trail)}: dependencies are followed ${deepest} levels deep; install it by itself before`);
			return [];
		}
		if (neededBy !== undefined && (this.#dependencies += 1) > mostDependencies)
			throw new SvcError("SVC_INVALID", `packs: at most ${mostDependencies} dependencies are fetched at once`);
		const found = { ...(await this.#parts.fetch(request)), trail: [...trail, request.text] };
		if (neededBy !== undefined) this.#needs.get(neededBy)?.add(found.ref);
		if (neededBy !== undefined && this.#isKept(found, request, trail)) return [];
		const known = this.#packs.get(found.ref);
		if (known !== undefined) {
			if (known.version !== found.version || known.source.address !== found.source.address)
				this.conflicts.push(`pack "${found.ref}" is asked for twice: ${toPlace(known)} and ${toPlace(found)}`);
			return [];
		}
		this.#packs.set(found.ref, found);
		this.#needs.set(found.ref, new Set());
		return this.#parts.skipDependencies ? [] : this.#dependenciesOf(found);
	}

	#dependenciesOf({ ref, metadata, trail, source }: CandidatePack): readonly Wanted[] {
		return toDependencies(metadata).flatMap((text) => {
			try {
				if (typeof text !== "string") throw new SvcError("SVC_INVALID", "must be a text");
				const request = this.#parts.parse(text);
				if (isLocal(request) && !isLocal(source)) throw new SvcError("SVC_INVALID", "only a pack of this machine may name files of it");
				return [{ request, trail, neededBy: ref }];
			} catch (error) {
				const message = error instanceof Error ? error.message : String(error);
				this.conflicts.push(
					`pack "${ref}" has a dependency that is not understood (${String(JSON.stringify(text)).slice(0, 100)}): ${message}`,
				);
				return [];
			}
		});
	}

	/** Whether a dependency need not be fetched: it is one of the set, or installed. Where that is another version it is a conflict. */
	#isThere(request: PackRequest, trail: readonly string[], neededBy: string): boolean {
		const ofSet = [...this.#packs.values()].find((pack) => isMeant(pack, request));
		if (ofSet !== undefined) {
			this.#needs.get(neededBy)?.add(ofSet.ref);
			if (!fits(ofSet, request)) this.conflicts.push(`${describe(request, trail)}, and ${toPlace(ofSet)} is to be installed`);
			return true;
		}
		const installed = this.#parts.installed.find((pack) => isMeant(pack, request));
		if (installed === undefined) return false;
		if (fits(installed, request)) return true;
		this.conflicts.push(
			`${describe(request, trail)}, and version ${installed.version} is installed; install the other version by itself first`,
		);
		// Whoever forces it gets what is needed.
		return !this.#parts.force;
	}

	/**
	 * Returns true if a pack of the fetched dependency's name is installed and stays, wherever it was installed from. A version that does
	 * not fit is a conflict; `force` replaces it.
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
		this.conflicts.push(`${describe(request, trail)} and is version ${version}, but ${kept}; install the other version by itself first`);
		return !this.#parts.force;
	}

	/** Finds installed packs that need another version than the one to be installed. */
	#findDependents(): void {
		for (const { ref, metadata } of this.#parts.installed) {
			if (this.#packs.has(ref)) continue;
			for (const request of this.#understood(metadata)) {
				const pack = this.#replacementFor(request);
				if (pack !== undefined)
					this.conflicts.push(`installed pack "${ref}" needs "${request.text}", and ${toPlace(pack)} is to be installed`);
			}
		}
	}

	/** Returns the pack of the set that takes the place of what a dependency of an installed pack names, and does not fit it. */
	#replacementFor(request: PackRequest): CandidatePack | undefined {
		const meant = [...this.#packs.values()].find((candidate) => isMeant(candidate, request));
		if (meant !== undefined) return fits(meant, request) ? undefined : meant;
		const installed = this.#parts.installed.find((pack) => isMeant(pack, request));
		const replacement = installed && this.#packs.get(installed.ref);
		// From another address only versions can be compared: a branch or commit says nothing about other files.
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
			if (begin >= 0) this.conflicts.push(`packs need one another: ${[...path.slice(begin), ref].join(" -> ")}`);
			if (begin >= 0 || done.has(ref)) return;
			for (const needed of this.#needs.get(ref) ?? []) visit(needed, [...path, ref]);
			done.add(ref);
		};
		for (const ref of this.#packs.keys()) visit(ref, []);
	}
}

/** Dependencies of a manifest as they stand there. */
export function toDependencies(metadata: JsonObject): readonly unknown[] {
	const dependencies = metadata["dependencies"];
	return Array.isArray(dependencies) ? dependencies : [];
}

/** Whether a pack is the one that a request names: by its ref, or by where it came from. */
export function isMeant({ ref, source }: Pick<KnownPack, "ref" | "source">, { kind, name, address, subdirectory }: PackRequest): boolean {
	if (kind === "index") return name === ref;
	return (
		address !== undefined &&
		sameAddress(source?.["address"], address) &&
		(source?.["subdirectory"] ?? undefined) === (subdirectory ?? undefined)
	);
}

/** Whether the version of a pack is the one that is asked for. */
export function fits({ version, source }: Pick<KnownPack, "version" | "source">, { revision }: PackRequest): boolean {
	if (revision === undefined || revision === source?.["revision"]) return true;
	const commit = source?.["commit"];
	if (typeof commit === "string" && revision.length >= 7 && commit.startsWith(revision)) return true;
	return isVersionRange(revision) && isInRange(version, revision);
}

/** The same repository is written with and without its ending. */
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
	return trail.length === 0 ? `"${text}"` : `"${text}" is needed by ${trail.map((name) => `"${name}"`).join(", which is needed by ")}`;
}

function toPlace({ ref, version, source }: { readonly ref: string; readonly version: string; readonly source: PackSource }): string {
	return `version ${version} of "${ref}" from ${source.address}`;
}
