import { mkdtemp, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { SvcError } from "../../../contract/index.ts";
import { createGitPlace } from "./git-environment.ts";
import { readCommit, type Submodule } from "./git-files.ts";
import { type FetchedRevision, GitRepository } from "./git-repository.ts";
import { findLocal, isLocal } from "./local-place.ts";
import { toShownAddress } from "./pack-address.ts";
import { quote, toSegments } from "./plain-path.ts";
import type { PlainTree } from "./plain-tree.ts";
import type { SourceSettings } from "./source-settings.ts";
import { toSubmoduleRequest } from "./submodule-address.ts";

const most = { submodules: 50, depth: 3 };

export interface GitReading {
	readonly settings: SourceSettings;
	readonly signal: AbortSignal;
	readonly emit: (line: string) => void;
	/** Directory for what is not needed afterwards. */
	readonly scratch: string;
	readonly tree: PlainTree;
}

/** What of a repository is wanted. */
export interface WantedRevision {
	readonly address: string;
	readonly revision: string | undefined;
	readonly subdirectory: string | undefined;
}

/** A repository to read, and where its files belong. */
interface WantedRepository extends WantedRevision {
	/** Folder of the tree; empty: its root. */
	readonly into: string;
	/** 0: the repository of the pack itself. */
	readonly depth: number;
}

/** Submodules that were read so far. */
interface Progress {
	count: number;
}

/** Puts the files of a revision, and of its submodules at the commits that belong to it, into the tree. */
export function readGit(wanted: WantedRevision, options: GitReading): Promise<FetchedRevision> {
	return readRepository({ ...wanted, into: "", depth: 0 }, options, { count: 0 });
}

async function readRepository(wanted: WantedRepository, options: GitReading, progress: Progress): Promise<FetchedRevision> {
	const { settings, scratch, tree, signal, emit } = options;
	const { address, revision, subdirectory: folder, into } = wanted;
	const { limits } = settings;
	const place = await createGitPlace(address, await mkdtemp(join(scratch, "home-")), settings);
	const directory = await mkdtemp(join(scratch, "repository-"));
	const repository = new GitRepository({ place, directory, limits, signal });
	const fetched = await repository.fetch(revision);
	// A branch may be called like a commit, and must not be taken for it.
	if (wanted.depth > 0 && fetched.commit !== revision) throw new SvcError("SVC_INVALID", `has no commit ${revision}`);
	const submodules = await readCommit(repository, tree, { commit: fetched.commit, folder, into, emit, limits });
	const modules = submodules.length === 0 ? new Map<string, string>() : await repository.readSettings(fetched.commit, ".gitmodules");
	await rm(directory, { recursive: true, force: true, maxRetries: 5 });
	const addresses = toAddresses(modules);
	for (const submodule of submodules) {
		const path = posix.join(into, submodule.path);
		const url = addresses.get(posix.join(folder ?? "", submodule.path));
		if (url === undefined) emit(`left out: ${quote(path)} is a submodule without an address in .gitmodules`);
		else await readSubmodule({ submodule, path, url }, { parent: wanted, options, progress });
	}
	return fetched;
}

/** Addresses by path. */
function toAddresses(modules: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	for (const [key, path] of modules) {
		const name = /^submodule\.([^]+)\.path$/.exec(key)?.[1];
		const url = name === undefined ? undefined : modules.get(`submodule.${name}.url`);
		if (url !== undefined) found.set(posix.normalize(path).replace(/\/$/, ""), url);
	}
	return found;
}

async function readSubmodule(
	{ submodule, path, url }: { readonly submodule: Submodule; readonly path: string; readonly url: string },
	{ parent, options, progress }: { readonly parent: WantedRepository; readonly options: GitReading; readonly progress: Progress },
): Promise<void> {
	const depth = parent.depth + 1;
	progress.count += 1;
	try {
		if (progress.count > most.submodules) throw new SvcError("SVC_INVALID", `the pack has more than ${most.submodules} submodules`);
		if (depth > most.depth) throw new SvcError("SVC_INVALID", `it lies more than ${most.depth} repositories deep`);
		if (toSegments(path).some((segment) => segment.toLowerCase() === ".git")) throw new SvcError("SVC_INVALID", 'its path holds ".git"');
		const request = toSubmoduleRequest(url, parent.address);
		const found = isLocal(request) ? await findLocal(request, options.settings.directories) : request;
		if (found.kind !== "git") throw new SvcError("SVC_INVALID", `${quote(url)} is no git repository`);
		const { address = "" } = found;
		options.emit(`fetching submodule ${quote(path)} from ${toShownAddress(address)}, commit ${submodule.commit}`);
		await options.tree.addDirectory(path);
		await readRepository({ address, revision: submodule.commit, subdirectory: undefined, into: path, depth }, options, progress);
	} catch (error) {
		if (!(error instanceof SvcError) || error.message.startsWith("submodule ")) throw error;
		throw new SvcError(error.code, `submodule ${quote(path)}: ${error.message}`, { cause: error });
	}
}
