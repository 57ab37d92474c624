import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import { isInRange, isVersionRange } from "../../../core/feature.ts";
import { createGitPlace } from "./git-environment.ts";
import { newestVersion, refsOf, toVersion } from "./git-refs.ts";
import { GitRepository } from "./git-repository.ts";
import { isLocal, resolveLocalSource } from "./local-source.ts";
import type { PackIndex } from "./pack-index.ts";
import { type PackRequest, parsePackRequest } from "./parse-request.ts";
import { readSource } from "./read-source.ts";
import type { SourceSettings } from "./source-settings.ts";
import { isSystemError } from "./system-error.ts";
import { UntrustedTree } from "./untrusted-tree.ts";
import { redactAddress } from "./url-credentials.ts";

/** Source of an installed pack, with all data to fetch the same files again, or the current ones. */
export interface PackSource {
	readonly kind: "git" | "archive" | "directory";
	/** Address without a password. */
	readonly address: string;
	/** Requested branch, tag or commit, under its name in the repository; null if none was requested. */
	readonly revision: string | null;
	/** Commit of a repository. For other sources, `sha256:` and a digest of the files. */
	readonly commit: string;
	readonly subdirectory: string | null;
	/** Address of the index that contained the pack; null if the pack was requested by address. */
	readonly index: string | null;
}

export interface FetchedPack {
	/** Directory with `pack.yaml`, plain files and folders. It is below `into`, and the caller must remove it. */
	readonly directory: string;
	readonly source: PackSource;
}

/** Revision that a source offers now. */
export interface LatestRevision {
	readonly revision: string | null;
	readonly commit: string;
	/** Version of the pack, if it is known without fetching the pack. */
	readonly version?: string;
}

export interface FetchOptions {
	/** Directory in which a folder is created for the pack. The folder is removed if fetching fails. */
	readonly into: string;
	readonly signal: AbortSignal;
	/** Receives lines of progress, which never contain a password. */
	readonly emit: (line: string) => void;
}

/** Request with an address, and the index that it was found in, if any. */
interface Found {
	readonly request: PackRequest;
	readonly index: string | null;
}

/** Fetches packs from repositories, archives and directories, by address or by name in the index. */
export class PackFetcher {
	readonly #settings: SourceSettings;
	readonly #index: PackIndex;
	readonly #logger: Logger;

	constructor({ settings, index, logger }: { readonly settings: SourceSettings; readonly index: PackIndex; readonly logger: Logger }) {
		this.#settings = settings;
		this.#index = index;
		this.#logger = logger;
	}

	/** Parses a request as written by a user. Throws `SVC_INVALID` with the reason if it is not valid. */
	parse(text: string): PackRequest {
		return parsePackRequest(text, this.#settings.publicHost);
	}

	/**
	 * Fetches a pack and checks that it contains nothing but plain files.
	 *
	 * Throws `SVC_INVALID` if the content is not allowed, `SVC_NOT_FOUND` if the source does not exist, and `SVC_UNAVAILABLE` if it cannot
	 * be reached now.
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
				throw new SvcError("SVC_UNAVAILABLE", `the pack was not fetched within ${seconds} seconds (content.fetch_timeout)`, {
					cause: error,
				});
			if (isSystemError(error))
				throw new SvcError("SVC_UNAVAILABLE", `the pack cannot be read or written on this node: ${error.message}`, { cause: error });
			throw error;
		}
	}

	/**
	 * Returns the revision that the source of a pack offers now: for a version tag the newest version, for a branch its latest commit. A
	 * commit never changes. Archives and directories are fetched for this.
	 */
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

	/** Resolves a request by name with the index. Returns any other request unchanged. */
	async #find(request: PackRequest, signal: AbortSignal): Promise<Found> {
		if (request.kind !== "index") return { request, index: null };
		const { address, index, version } = await this.#index.find(request.name ?? "", signal);
		const named = this.parse(address);
		const revision = request.revision ?? named.revision;
		const subdirectory = request.subdirectory ?? named.subdirectory;
		const takesRevision = named.kind === "git" || (named.kind === "directory" && named.address?.startsWith("file://") === true);
		if (!takesRevision && request.revision !== undefined && !isVersion(version, request.revision)) {
			throw new SvcError("SVC_NOT_FOUND", `the index has only version ${version ?? "?"} of pack ${request.name}, not ${request.revision}`);
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
		const { kind, address } = isLocal(request) ? await resolveLocalSource(request, settings.directories) : toRemote(request);
		const shown = redactAddress(address);
		options.emit(`fetching ${shown}${revision === undefined ? "" : `, revision ${revision}`}`);
		const scratch = await mkdtemp(join(work, "scratch-"));
		// This name is not a valid ref, so it cannot become the ref of a pack whose manifest has none.
		const directory = join(work, "pack-files");
		const tree = await UntrustedTree.create({ directory, limits: settings.limits, ...options });
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
