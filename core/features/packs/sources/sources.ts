import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../contract/index.ts";
import { isInRange, isVersionRange } from "../../../language/version-range.ts";
import { createGitPlace } from "./git-environment.ts";
import { newestVersion, refsOf, toVersion } from "./git-refs.ts";
import { GitRepository } from "./git-repository.ts";
import { findLocal, isLocal } from "./local-place.ts";
import { toShownAddress } from "./pack-address.ts";
import type { PackIndex } from "./pack-index.ts";
import { type PackRequest, parsePackRequest } from "./parse-request.ts";
import { PlainTree } from "./plain-tree.ts";
import { readSource } from "./read-source.ts";
import type { SourceSettings } from "./source-settings.ts";
import { isSystemError } from "./system-error.ts";

/** Where a pack has come from: enough to fetch the same again, or what is there now. */
export interface PackSource {
	readonly kind: "git" | "archive" | "directory";
	/** Never with a password. */
	readonly address: string;
	/** The branch, tag or commit that was asked for, as it is called there; null: none was. */
	readonly revision: string | null;
	/** Of a repository its commit; of other files `sha256:` and what tells them from all others. */
	readonly commit: string;
	readonly subdirectory: string | null;
	/** Address of the index that has named it. */
	readonly index: string | null;
}

export interface FetchedPack {
	/** Holds `pack.yaml`, plain files and folders. It lies below `into`, and is the caller's to remove. */
	readonly directory: string;
	readonly source: PackSource;
}

/** What a source has now. */
export interface LatestRevision {
	readonly revision: string | null;
	readonly commit: string;
	/** Where it can be told without fetching. */
	readonly version?: string;
}

export interface FetchOptions {
	/** Directory that it is fetched into; it gets a folder of its own there, and keeps nothing in it where it fails. */
	readonly into: string;
	readonly signal: AbortSignal;
	/** Called with a line whenever there is something to tell. Never with a password. */
	readonly emit: (line: string) => void;
}

/** A place that has been found, and how it has been named. */
interface Found {
	readonly request: PackRequest;
	readonly index: string | null;
}

/** Brings packs from where they are: repositories, archives, directories, by address or by a name of the index. */
export class PackSources {
	readonly #settings: SourceSettings;
	readonly #index: PackIndex;
	readonly #logger: Logger;

	constructor({ settings, index, logger }: { readonly settings: SourceSettings; readonly index: PackIndex; readonly logger: Logger }) {
		this.#settings = settings;
		this.#index = index;
		this.#logger = logger;
	}

	/** What somebody has written, as a request. `SVC_INVALID` says what is wrong with it. */
	parse(text: string): PackRequest {
		return parsePackRequest(text, this.#settings.publicHost);
	}

	/**
	 * Fetch a pack and check that it is nothing but plain files. `SVC_INVALID` names what is not allowed, `SVC_NOT_FOUND` what is not
	 * there, `SVC_UNAVAILABLE` whom nobody can reach now.
	 */
	async fetch(request: PackRequest, options: FetchOptions): Promise<FetchedPack> {
		const { seconds } = this.#settings.limits;
		const timeout = AbortSignal.timeout(seconds * 1_000);
		const signal = AbortSignal.any([options.signal, timeout]);
		const work = await mkdtemp(join(options.into, "fetch-"));
		try {
			return await this.#fetch(await this.#find(request, signal), work, { ...options, signal });
		} catch (error) {
			await rm(work, { recursive: true, force: true, maxRetries: 5 });
			if (!options.signal.aborted && timeout.aborted)
				throw new SvcError("SVC_UNAVAILABLE", `the pack has not come within ${seconds} seconds (content.fetch_timeout)`, { cause: error });
			if (isSystemError(error))
				throw new SvcError("SVC_UNAVAILABLE", `the pack cannot be read or written on this node: ${error.message}`, { cause: error });
			throw error;
		}
	}

	/** What there is now at a place that a pack has come from. Of a version the newest one; a commit stays what it is. */
	async latest(source: PackSource, { signal }: { readonly signal: AbortSignal }): Promise<LatestRevision> {
		const scratch = await mkdtemp(join(tmpdir(), "svc-latest-"));
		try {
			const version = source.index === null ? undefined : await this.#index.versionAt(source.address, signal);
			const known = version === undefined ? {} : { version };
			if (source.kind === "git") return { ...known, ...(await this.#latestOf(source, scratch, signal)) };
			const { address, kind } = source;
			const again = await this.fetch(
				{ text: address, kind, address, ...(source.subdirectory !== null && { subdirectory: source.subdirectory }) },
				{ into: scratch, signal, emit: () => {} },
			);
			return { ...known, revision: null, commit: again.source.commit };
		} finally {
			await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
		}
	}

	async #latestOf({ address, revision, commit }: PackSource, home: string, signal: AbortSignal): Promise<LatestRevision> {
		const place = await createGitPlace(address, home, this.#settings);
		const { head, refs } = await new GitRepository({ place, directory: home, limits: this.#settings.limits, signal }).refs();
		if (revision === null) return { revision, commit: head?.commit ?? commit };
		const own = refsOf(revision).flatMap((ref) => refs.get(ref) ?? [])[0];
		const newest = own?.isTag && newestVersion([own]) !== undefined ? newestVersion(refs.values()) : own;
		if (newest === undefined) return { revision, commit };
		return { revision: newest.name, commit: newest.commit, ...(newest.isTag && { version: toVersion(newest.name) }) };
	}

	/** The place that a name of the index stands for; every other request is one. */
	async #find(request: PackRequest, signal: AbortSignal): Promise<Found> {
		if (request.kind !== "index") return { request, index: null };
		const { address, index, version } = await this.#index.find(request.name ?? "", signal);
		const named = this.parse(address);
		const revision = request.revision ?? named.revision;
		const subdirectory = request.subdirectory ?? named.subdirectory;
		const takesRevision = named.kind === "git" || (named.kind === "directory" && named.address?.startsWith("file://") === true);
		if (!takesRevision && request.revision !== undefined && !isVersion(version, request.revision)) {
			throw new SvcError("SVC_NOT_FOUND", `the index has version ${version ?? "?"} of pack ${request.name} only, not ${request.revision}`);
		}
		return {
			request: {
				...named,
				...(takesRevision && revision !== undefined && { revision }),
				...(subdirectory !== undefined && { subdirectory }),
			},
			index,
		};
	}

	async #fetch({ request, index }: Found, work: string, options: FetchOptions): Promise<FetchedPack> {
		const settings = this.#settings;
		const { revision, subdirectory } = request;
		const { kind, address } = isLocal(request) ? await findLocal(request, settings.directories) : toRemote(request);
		const shown = toShownAddress(address);
		options.emit(`fetching ${shown}${revision === undefined ? "" : `, revision ${revision}`}`);
		const scratch = await mkdtemp(join(work, "scratch-"));
		// No name that could be taken for that of the pack, where its manifest has none.
		const directory = join(work, "pack-files");
		const tree = await PlainTree.create({ directory, limits: settings.limits, ...options });
		const found = await readSource({ kind, address, revision, subdirectory }, { ...options, settings, scratch, tree });
		await rm(scratch, { recursive: true, force: true });
		const commit = found.commit ?? tree.digest(found.root);
		options.emit(`${tree.files.length} files, ${tree.bytes} bytes, ${commit}`);
		this.#logger.debug("pack fetched", { address: shown, commit });
		return {
			directory: join(directory, found.root),
			source: { kind, address: shown, revision: found.revision, commit, subdirectory: subdirectory ?? null, index },
		};
	}
}

function toRemote({ kind, address = "" }: PackRequest): { readonly kind: PackSource["kind"]; readonly address: string } {
	return { kind: kind === "index" ? "git" : kind, address };
}

function isVersion(version: string | undefined, wanted: string): boolean {
	return version === wanted || (version !== undefined && isVersionRange(wanted) && isInRange(version, wanted));
}
