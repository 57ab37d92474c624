import { type ChildProcess, spawn } from "node:child_process";
import { SvcError } from "../../../contract/index.ts";

export interface GitOptions {
	/** The whole of it: git gets nothing else. */
	readonly environment: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Most bytes that it may print; and by which each file that it writes is bounded. */
	readonly limits: { readonly output: number; readonly file: number };
	/** For its standard input. Default none. */
	readonly input?: string;
}

export interface GitEnd {
	readonly succeeded: boolean;
	readonly stdout: Buffer;
	/** What it says went wrong. */
	readonly stderr: string;
}

/** Bytes of what git says that are kept. */
const mostWords = 16_384;
/** The shell sets a limit that the kernel keeps, which git itself has none of. It counts in blocks of 512 bytes. */
const limitThenGit = 'ulimit -f "$1" && shift && exec git "$@"';

/** Start git in a process group of its own, which is ended whole when the signal comes. */
export function startGit(args: readonly string[], { environment, signal, limits }: GitOptions): ChildProcess {
	signal.throwIfAborted();
	const blocks = String(Math.ceil(limits.file / 512));
	const child = spawn("/bin/sh", ["-c", limitThenGit, "sh", blocks, ...args], { env: { ...environment }, detached: true });
	const end = () => endGroup(child);
	signal.addEventListener("abort", end, { once: true });
	child.once("close", () => signal.removeEventListener("abort", end));
	child.stdin.on("error", () => {});
	return child;
}

/** End a process and all that it has started. */
export function endGroup({ pid }: ChildProcess): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// They are gone already.
	}
}

/** Run git to its end. Rejects when it cannot be started, prints too much, or the signal comes. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitEnd> {
	const { signal, limits, input } = options;
	const child = startGit(args, options);
	const chunks: Buffer[] = [];
	let size = 0;
	let stderr = "";
	child.stdout?.on("data", (chunk: Buffer) => {
		size += chunk.length;
		if (size > limits.output) endGroup(child);
		else chunks.push(chunk);
	});
	child.stderr?.on("data", (chunk: Buffer) => {
		stderr = (stderr + chunk.toString("utf8")).slice(-mostWords);
	});
	child.stdin?.end(input);
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	signal.throwIfAborted();
	if (size > limits.output) throw new SvcError("SVC_INVALID", `the repository has more to tell than ${limits.output} bytes`);
	if (code === 127) throw new SvcError("SVC_UNAVAILABLE", "git is not installed on this node, and packs are fetched with it");
	return { succeeded: code === 0, stdout: Buffer.concat(chunks), stderr };
}
