import { execFile } from "node:child_process";
import { chmod, mkdir, realpath, rm, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { KeyedMutex, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { createBaseEnvironment } from "../_process/environment.ts";
import { assertNoNul } from "../_shell/index.ts";

const maxAttempts = 5;
/** Serializes worktree changes of one pack directory within this process. */
const turns = new KeyedMutex();
/** Matches git errors about worktree files that another process creates or removes at the same time. */
const isHalfMade = /worktrees\//;

export interface WorktreeRequest {
	readonly pack: string;
	readonly packDirectory: string;
	/** Branch, tag, commit, or any other revision that git accepts. */
	readonly revision: string;
	/** Path of the new worktree; it does not exist yet. */
	readonly directory: string;
	readonly signal: AbortSignal;
}

/** Creates a worktree of the pack's repository at a revision. Returns the pack's directory in the worktree. */
export async function addWorktree(request: WorktreeRequest): Promise<string> {
	const { pack, packDirectory, revision, directory, signal } = request;
	const fail = (reason: string, cause?: unknown) =>
		new SvcError("SVC_RUNNER", `Failed to create git worktree for pack "${pack}": ${reason}`, { cause });
	const git = (...args: string[]): Promise<GitEnd> =>
		runGit(packDirectory, args, signal).catch((error: unknown) => {
			if (signal.aborted) throw error;
			throw fail(`git cannot be started: ${toErrorMessage(error)}`, error);
		});
	assertNoNul("content_version", revision);

	// A pack may be a subdirectory of its repository.
	const prefix = await git("rev-parse", "--show-prefix");
	if (!prefix.succeeded) throw fail(`"${packDirectory}" is not in a git repository (${prefix.reason})`);
	// A revision that begins with a hyphen would be parsed as an option.
	const commit = revision.startsWith("-") ? undefined : await git("rev-parse", "--verify", "--quiet", `${revision}^{commit}`);
	if (!commit?.succeeded) throw fail(`the repository has no revision "${revision}" (content_version)`);

	const addNow = async () => {
		await rm(directory, { recursive: true, force: true });
		await makeDirectory(directory, packDirectory);
		return git("worktree", "add", "--detach", directory, commit.stdout.trim());
	};
	const added = await changeWorktrees(packDirectory, addNow, signal);
	if (!added.succeeded && added.reason.includes("is not a git command")) throw fail("git 2.17 or newer is required");
	if (!added.succeeded) throw fail(added.reason);
	return join(directory, prefix.stdout.replace(/\n$/, ""));
}

/** Removes the worktree's directory and its entry in the repository. */
export async function removeWorktree({ directory, packDirectory }: Pick<WorktreeRequest, "directory" | "packDirectory">): Promise<void> {
	await rm(directory, { recursive: true, force: true });
	// The pack may have been removed since the worktree was created.
	if (!(await isDirectory(packDirectory))) return;
	// `git worktree prune` would also remove a worktree that another run is just adding.
	await changeWorktrees(packDirectory, () => runGit(packDirectory, ["worktree", "remove", "--force", directory]));
}

/**
 * Changes worktrees with retries. git does not isolate concurrent changes of a repository's worktrees: one fails if it finds an incomplete
 * change of another. Changes of one pack in this process are serialized; conflicts with other processes, or with other packs of the
 * repository, are retried.
 */
async function changeWorktrees(packDirectory: string, change: () => Promise<GitEnd>, signal?: AbortSignal): Promise<GitEnd> {
	for (let tried = 1; ; tried += 1) {
		const end = await turns.runExclusive(packDirectory, change, signal);
		if (end.succeeded || tried === maxAttempts || !isHalfMade.test(end.reason)) return end;
		await delay(tried * 50 * Math.random());
	}
}

/** Returns the path of the file in the other directory. Throws `SVC_RUNNER` if the file does not exist or is outside the directory. */
export async function rebase(file: string, from: string, to: string, revision: string): Promise<string> {
	const path = relative(from, file);
	if (leadsOut(path)) throw new SvcError("SVC_RUNNER", `entry point "${file}" is outside its pack's directory "${from}"`);
	const rebased = join(to, path);
	const real = await realpath(rebased).catch(() => undefined);
	if (real === undefined)
		throw new SvcError("SVC_RUNNER", `entry point "${path}" does not exist in revision "${revision}" (content_version)`);
	if (leadsOut(relative(await realpath(to), real))) {
		throw new SvcError("SVC_RUNNER", `entry point "${path}" is outside its pack's directory in revision "${revision}" (content_version)`);
	}
	return rebased;
}

function leadsOut(path: string): boolean {
	return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/**
 * Creates the directory. Users who may read the pack may read it, and only the service's user may write, because its files will be
 * executed.
 */
async function makeDirectory(directory: string, packDirectory: string): Promise<void> {
	await mkdir(directory, { mode: 0o700 });
	await chmod(directory, ((await stat(packDirectory)).mode & 0o055) | 0o700);
}

async function isDirectory(path: string): Promise<boolean> {
	return stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
}

interface GitEnd {
	readonly succeeded: boolean;
	readonly stdout: string;
	/** Error message of git in one line. */
	readonly reason: string;
}

/** Maximum size of git's output in bytes. */
const maxOutputLength = 16 * 1024 * 1024;
/** Hooks of a pack must not run, and git must not prompt for a password. */
const settings = ["-c", "core.hooksPath=/dev/null"];
const variables = { GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

/** Runs git in a directory. Rejects if git cannot be started, and with the signal's reason if the signal aborts. */
function runGit(directory: string, args: readonly string[], signal?: AbortSignal): Promise<GitEnd> {
	return new Promise((resolve, reject) => {
		const env = { ...createBaseEnvironment(), ...variables };
		const options = { cwd: directory, env, maxBuffer: maxOutputLength, ...(signal === undefined ? {} : { signal }) };
		execFile("git", [...settings, ...args], options, (error, stdout, stderr) => {
			if (signal?.aborted) reject(signal.reason);
			else if (error !== null && typeof error.code !== "number" && error.signal == null) reject(error);
			else resolve({ succeeded: error === null, stdout, reason: toReason(stderr) });
		});
	});
}

function toReason(stderr: string): string {
	const lines = stderr.split("\n").filter((line) => line !== "");
	const line = lines.find((each) => each.startsWith("fatal: ")) ?? lines.at(-1) ?? "no reason was given";
	return line.replace(/^fatal: /, "");
}
