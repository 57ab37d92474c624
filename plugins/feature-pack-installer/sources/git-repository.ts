import { SvcError } from "../../../core/contract/index.ts";
import { isVersionRange } from "../../../core/feature.ts";
import type { GitPlace } from "./git-environment.ts";
import { type GitEnd, type GitOptions, runGit } from "./git-process.ts";
import { isCommit, isStartOfCommit, newestVersion, parseRemoteRefs, type RemoteRefs, refsOf } from "./git-refs.ts";
import { type PackLimits, repositoryFactor } from "./pack-limits.ts";
import { quote } from "./pack-path.ts";

export interface RepositoryOptions {
	readonly place: GitPlace;
	/** Directory for the local copy of the repository. */
	readonly directory: string;
	readonly limits: PackLimits;
	readonly signal: AbortSignal;
}

/** Revision that was fetched. */
export interface FetchedRevision {
	readonly commit: string;
	/** Name of the branch or tag, or the requested commit; null for the default branch. */
	readonly revision: string | null;
}

interface Wanted {
	/** Ref or commit to request from the server; undefined if the revision can only be found in the full history. */
	readonly object: string | undefined;
	readonly revision: string | null;
}

const maxOutputBytes = { refs: 16 * 1024 * 1024, values: 65_536 };
/** Error messages of servers that only serve branches and tags, or that do not support shallow fetches. */
const refusesPart = /unadvertised object|not our ref|shallow|allow(?:Any|Reachable|Tip)SHA1|does not support/i;
/** Error messages of git after the kernel has killed one of its programs for exceeding the file size limit. */
const fileTooLarge = /died of signal 25|signal 25|File size limit|file too large/i;

/** Remote repository, with a local copy of one revision. Nothing is ever checked out, because a checkout would run filters. */
export class GitRepository {
	readonly #options: RepositoryOptions;

	constructor(options: RepositoryOptions) {
		this.#options = options;
	}

	/** Returns the branches and tags: all of them, or those that a revision may mean. */
	async refs(revision?: string): Promise<RemoteRefs> {
		const { address } = this.#options.place;
		const wanted = revision === undefined ? ["refs/heads/*", "refs/tags/*"] : refsOf(revision).flatMap((ref) => [ref, `${ref}^{}`]);
		const end = await this.#git(["ls-remote", "--symref", "--", address, "HEAD", ...wanted], maxOutputBytes.refs);
		if (!end.succeeded) throw this.#failed(end);
		return parseRemoteRefs(end.stdout.toString("utf8"));
	}

	/** Fetches a revision; by default, the head of the default branch. Throws `SVC_NOT_FOUND` if it does not exist. */
	async fetch(revision: string | undefined): Promise<FetchedRevision> {
		const wanted = await this.#find(revision);
		await this.#expect(await this.#git(["init", "--quiet", "--bare", "--template=", this.#options.directory], maxOutputBytes.values));
		const commit = (await this.#fetchPart(wanted)) ?? (await this.#fetchAll(wanted, revision));
		return { commit, revision: wanted.revision };
	}

	/** Returns the output of `git ls-tree` for a folder of a commit. Throws `SVC_NOT_FOUND` if the folder does not exist. */
	async listTree(commit: string, folder: string | undefined): Promise<Buffer> {
		// 1,200 bytes for each file: the maximum length of a path, plus the other columns of its line.
		const output = this.#options.limits.files * 1_200;
		const end = await this.#git(["ls-tree", "-r", "-z", "-l", "--full-tree", `${commit}:${folder ?? ""}`], output, { isHere: true });
		if (!end.succeeded) throw new SvcError("SVC_NOT_FOUND", `the repository has no directory ${quote(folder ?? "")} at commit ${commit}`);
		return end.stdout;
	}

	/** Returns the settings in a file of a commit that has the syntax of git's configuration. Empty if there is no such file. */
	async readSettings(commit: string, file: string): Promise<ReadonlyMap<string, string>> {
		const end = await this.#git(["config", "--blob", `${commit}:${file}`, "--null", "--list"], maxOutputBytes.values, { isHere: true });
		if (!end.succeeded) return new Map();
		const entries = end.stdout.toString("utf8").split("\0").filter(Boolean);
		return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)]));
	}

	/** Arguments and options for a git process that reads objects of the local copy. */
	get reading(): { readonly args: readonly string[]; readonly options: GitOptions } {
		const { place, directory, signal } = this.#options;
		return { args: ["--git-dir", directory], options: { environment: place.environment, signal, limits: { output: 0, file: 0 } } };
	}

	/**
	 * Finds the ref or commit of a revision. Names take precedence, because a branch may look like a version and a tag like an abbreviated
	 * commit.
	 */
	async #find(revision: string | undefined): Promise<Wanted> {
		if (revision === undefined) return { object: "HEAD", revision: null };
		const isRange = isVersionRange(revision);
		const { refs } = await this.refs(isRange ? undefined : revision);
		const named = refsOf(revision).flatMap((name) => refs.get(name) ?? [])[0];
		if (named !== undefined) return { object: named.ref, revision: named.name };
		if (isCommit(revision)) return { object: revision, revision };
		if (isStartOfCommit(revision)) return { object: undefined, revision };
		const newest = isRange ? newestVersion(refs.values(), revision) : undefined;
		if (newest !== undefined) return { object: newest.ref, revision: newest.name };
		throw new SvcError("SVC_NOT_FOUND", `the repository has no branch, tag, commit or version ${quote(revision)}`);
	}

	/**
	 * Fetches only the wanted commit. Returns undefined if the server cannot send this commit alone, so that the whole history must be
	 * fetched.
	 */
	async #fetchPart({ object }: Wanted): Promise<string | undefined> {
		if (object === undefined) return undefined;
		const end = await this.#fetch(["--depth=1"], [`+${object}:refs/svc/wanted`]);
		if (end.succeeded) return this.#commitOf("refs/svc/wanted");
		if (refusesPart.test(end.stderr)) return undefined;
		throw this.#failed(end);
	}

	async #fetchAll({ object }: Wanted, revision: string | undefined): Promise<string> {
		const end = await this.#fetch([], ["+HEAD:refs/svc/head", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
		if (!end.succeeded) throw this.#failed(end);
		const commit = await this.#commitOf(object === "HEAD" ? "refs/svc/head" : (object ?? revision ?? ""));
		if (commit === undefined)
			throw new SvcError("SVC_NOT_FOUND", `the repository has no commit ${quote(revision ?? "")}, or several with this prefix`);
		return commit;
	}

	#fetch(options: readonly string[], refs: readonly string[]): Promise<GitEnd> {
		const quiet = ["--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
		return this.#git(["fetch", ...quiet, ...options, "--", this.#options.place.address, ...refs], maxOutputBytes.values, { isHere: true });
	}

	async #commitOf(name: string): Promise<string | undefined> {
		const end = await this.#git(["rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`], maxOutputBytes.values, {
			isHere: true,
		});
		return end.succeeded ? end.stdout.toString("utf8").trim() : undefined;
	}

	async #expect(end: GitEnd): Promise<void> {
		if (!end.succeeded) throw this.#failed(end);
	}

	#git(args: readonly string[], output: number, { isHere = false } = {}): Promise<GitEnd> {
		const { place, directory, limits, signal } = this.#options;
		const all = isHere ? ["--git-dir", directory, ...args] : args;
		return runGit(all, { environment: place.environment, signal, limits: { output, file: limits.size * repositoryFactor } });
	}

	#failed({ stderr }: GitEnd): SvcError {
		const { place, limits } = this.#options;
		const { address } = place;
		if (fileTooLarge.test(stderr)) {
			return new SvcError(
				"SVC_INVALID",
				`repository ${quote(address)} has more than ${limits.size * repositoryFactor} bytes (${repositoryFactor} times content.max_pack_size)`,
			);
		}
		return new SvcError("SVC_UNAVAILABLE", `repository ${quote(address)} cannot be read: ${toReason(stderr)}`);
	}
}

/** Returns the reason for a failure on one line, from the error output of git. */
function toReason(stderr: string): string {
	const lines = stderr.split("\n").filter((line) => line.trim() !== "");
	const line = lines.find((each) => /^(?:fatal|ERROR): /.test(each)) ?? lines.at(-1) ?? "no reason was given";
	return quote(line.replace(/^(?:fatal|remote|ERROR): /, "")).slice(1, -1);
}
