import { spawn } from "node:child_process";

/** Run a program to its end; gives its exit code (1 when it was killed) and everything it printed, colours left out. */
export function run(
	file: string,
	args: readonly string[],
	{ cwd, env = process.env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; output: string }> {
	return new Promise((resolve, reject) => {
		const child = spawn(file, args, {
			...(cwd !== undefined && { cwd }),
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...env, FORCE_COLOR: "0", NO_COLOR: "1" },
		});
		const pieces: Buffer[] = [];
		child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
		child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
		child.on("error", reject);
		child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(pieces).toString("utf8") }));
	});
}
