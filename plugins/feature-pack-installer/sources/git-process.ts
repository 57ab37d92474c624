import { type ChildProcess, spawn } from "node:child_process";
import { SvcError } from "../../../core/contract/index.ts";

export interface GitOptions {
	/** All environment variables of git; no others are inherited from the service. */
	readonly environment: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Maximum number of bytes that git may print, and that each file it writes may have. */
	readonly limits: { readonly output: number; readonly file: number };
	/** Standard input. Default none. */
	readonly input?: string;
}

export interface GitEnd {
	readonly succeeded: boolean;
	readonly stdout: Buffer;
	/** Last characters of the error output. */
	readonly stderr: string;
}

/** Maximum number of characters of the error output that are kept. */
const maxWords = 16_384;
/** Sets a file size limit that the kernel enforces, because git has no such option. `ulimit -f` counts blocks of 512 bytes. */
const limitThenGit = 'ulimit -f "$1" && shift && exec git "$@"';

/** Starts git in its own process group, and kills the whole group when the signal aborts. */
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

/** Kills a process and all its descendants in the process group. */
export function endGroup({ pid }: ChildProcess): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// The processes have already ended.
	}
}

/** Runs git and waits for its end. Rejects if it cannot be started, prints too much, or the signal aborts. */
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
		stderr = (stderr + chunk.toString("utf8")).slice(-maxWords);
	});
	child.stdin?.end(input);
	const code = await new Promise<number | null>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", resolve);
	});
	signal.throwIfAborted();
	if (size > limits.output) throw new SvcError("SVC_INVALID", `git printed more than ${limits.output} bytes about the repository`);
	if (code === 127) throw new SvcError("SVC_UNAVAILABLE", "git is not installed on this node; it is required to fetch packs");
	return { succeeded: code === 0, stdout: Buffer.concat(chunks), stderr };
}
