import { execFile } from "node:child_process";
import { createBaseEnvironment } from "../_process/environment.ts";

export interface GitEnd {
	readonly succeeded: boolean;
	readonly stdout: string;
	/** What git says went wrong, in one line. */
	readonly reason: string;
}

/** Most characters that git may print. */
const longestOutput = 16 * 1024 * 1024;
/** A pack's hooks are no part of its actions, and nobody is there to be asked for a password. */
const settings = ["-c", "core.hooksPath=/dev/null"];
const variables = { GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

/** Run git in a directory. Rejects when git cannot be started, and with the signal's reason when that ended it. */
export function runGit(directory: string, args: readonly string[], signal?: AbortSignal): Promise<GitEnd> {
	return new Promise((resolve, reject) => {
		const env = { ...createBaseEnvironment(), ...variables };
		const options = { cwd: directory, env, maxBuffer: longestOutput, ...(signal === undefined ? {} : { signal }) };
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
