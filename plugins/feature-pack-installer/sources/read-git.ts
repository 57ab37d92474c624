import { mkdtemp, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join, posix } from "node:path";
import { SvcError } from "../../../core/contract/index.ts";
import { createGitPlace } from "./git-environment.ts";
import { readCommit, type Submodule } from "./git-files.ts";
import { type FetchedRevision, GitRepository } from "./git-repository.ts";
import { isLocal, resolveLocalSource } from "./local-source.ts";
import { quote, toSegments } from "./pack-path.ts";
import { type PackRequest, parsePackRequest } from "./parse-request.ts";
import type { SourceSettings } from "./source-settings.ts";
import type { UntrustedTree } from "./untrusted-tree.ts";
import { redactAddress } from "./url-credentials.ts";

const maxima = { submodules: 50, depth: 3 };

export interface GitReading {
	readonly settings: SourceSettings;
	readonly signal: AbortSignal;
	readonly emit: (line: string) => void;
	/** Directory for temporary files. */
	readonly scratch: string;
	readonly tree: UntrustedTree;
}

/** Revision and folder of a repository to read. */
export interface WantedRevision {
	readonly address: string;
	readonly revision: string | undefined;
	readonly subdirectory: string | undefined;
}

/** Repository to read, and the folder of the tree for its files. */
interface WantedRepository extends WantedRevision {
	/** Folder of the tree; the empty string is its root. */
	readonly into: string;
	/** Number of enclosing repositories; 0 for the repository of the pack itself. */
	readonly depth: number;
}

/** Number of submodules that were read so far. */
interface Progress {
	count: number;
}

/** Adds the files of a revision to the tree, and those of its submodules at the commits that the revision refers to. */
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
	// A branch may have the name of a commit and must not be read instead of it.
	if (wanted.depth > 0 && fetched.commit !== revision) throw new SvcError("SVC_INVALID", `has no commit ${revision}`);
	const submodules = await readCommit(repository, tree, { commit: fetched.commit, folder, into, emit, limits });
	const modules = submodules.length === 0 ? new Map<string, string>() : await repository.readSettings(fetched.commit, ".gitmodules");
	await rm(directory, { recursive: true, force: true, maxRetries: 5 });
	const addresses = toAddresses(modules);
	for (const submodule of submodules) {
		const path = posix.join(into, submodule.path);
		const url = addresses.get(posix.join(folder ?? "", submodule.path));
		if (url === undefined) emit(`skipped: ${quote(path)} is a submodule without a URL in .gitmodules`);
		else await readSubmodule({ submodule, path, url }, { parent: wanted, options, progress });
	}
	return fetched;
}

/** Returns the addresses of submodules by path, from the settings in `.gitmodules`. */
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
		if (progress.count > maxima.submodules) throw new SvcError("SVC_INVALID", `the pack has more than ${maxima.submodules} submodules`);
		if (depth > maxima.depth) throw new SvcError("SVC_INVALID", `it is nested more than ${maxima.depth} repositories deep`);
		if (toSegments(path).some((segment) => segment.toLowerCase() === ".git")) throw new SvcError("SVC_INVALID", 'its path holds ".git"');
		const request = toSubmoduleRequest(url, parent.address);
		const found = isLocal(request) ? await resolveLocalSource(request, options.settings.directories) : request;
		if (found.kind !== "git") throw new SvcError("SVC_INVALID", `${quote(url)} is not a git repository`);
		const { address = "" } = found;
		options.emit(`fetching submodule ${quote(path)} from ${redactAddress(address)}, commit ${submodule.commit}`);
		await options.tree.addDirectory(path);
		await readRepository({ address, revision: submodule.commit, subdirectory: undefined, into: path, depth }, options, progress);
	} catch (error) {
		if (!(error instanceof SvcError) || error.message.startsWith("submodule ")) throw error;
		throw new SvcError(error.code, `submodule ${quote(path)}: ${error.message}`, { cause: error });
	}
}

const shortSsh = /^([^/:@]+@[^/:@]+:)(.*)$/;

/**
 * Returns the request for a submodule. The author of the repository chooses its address, not the user who installs the pack. Therefore, the
 * address may be on this machine only if the repository is. IP addresses and local names are only allowed on the repository's own host. An
 * unencrypted address also requires that the repository itself is fetched unencrypted.
 *
 * @param url address in `.gitmodules`, absolute or relative to the repository
 * @param parent address of the repository
 */
function toSubmoduleRequest(url: string, parent: string): PackRequest {
	const refuse = (reason: string) => new SvcError("SVC_INVALID", `its address ${quote(redactAddress(url))} ${reason}`);
	const absolute = /^\.{1,2}(?:\/|$)/.test(url) ? resolveAddress(url, parent) : url;
	if (absolute === undefined) throw refuse("is outside the host of the repository");
	const isPath = absolute.startsWith("/");
	if (!isPath && !absolute.includes("://") && !shortSsh.test(absolute)) throw refuse("must be the URL of a repository");
	const request = parsePackRequest(isPath ? `file://${encodeURI(absolute)}` : absolute);
	if (request.kind === "archive" || request.revision !== undefined || request.subdirectory !== undefined)
		throw refuse("must be only the URL of a repository");
	const isLocal = request.address?.startsWith("file://") === true || request.address?.startsWith("/") === true;
	if (isLocal && !parent.startsWith("file://")) throw refuse("is on the local machine, but the repository is not");
	if (!isLocal) assertHost(absolute, parent, refuse);
	return { ...request, kind: "git" };
}

function assertHost(address: string, parent: string, refuse: (reason: string) => SvcError): void {
	const host = hostOf(address);
	if (host === hostOf(parent) && (!/^http:/i.test(address) || /^http:/i.test(parent))) return;
	if (/^http:/i.test(address)) throw refuse("is not encrypted, but the repository is, or it is on another host");
	if (isIP(host.replace(/^\[|\]$/g, "")) !== 0 || /^(?:.*\.)?localhost\.?$/i.test(host))
		throw refuse("is an IP address or a name of the local machine other than that of the repository");
}

function hostOf(address: string): string {
	if (URL.canParse(address) && address.includes("://")) return new URL(address).hostname;
	return /@([^:]*):/.exec(address)?.[1] ?? "";
}

/** Resolves a relative address as git does: each `../` removes a segment of the path. Returns undefined if none is left. */
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
