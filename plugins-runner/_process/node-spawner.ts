import { execFileSync, spawn } from "node:child_process";
import { constants, mkdtempSync, openSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pipe, Spawner } from "./spawner.ts";

const batch = 32;

/** Starts processes with Node's own spawn: works everywhere, at the price of a fork each. */
export function createNodeSpawner(): Spawner {
	const pipes = createPipeSource();
	return {
		name: "child_process",
		createPipe: () => pipes.take(),
		spawn(request, descriptors, events) {
			const child = spawn(request.file, request.args, {
				cwd: request.cwd,
				env: { ...request.env },
				detached: true,
				stdio: [...descriptors],
			});
			child.once("error", (error) => events.onError(error));
			child.once("exit", (code, signal) => events.onExit({ code, signal }));
			if (child.pid !== undefined) events.onStart(child.pid);
		},
		stop: () => pipes.stop(),
	};
}

/** Node cannot make a pipe, only sockets. Named ones, made many at a time and unlinked once open, are the same thing. */
function createPipeSource(): { take(): Pipe; stop(): void } {
	let directory: string | undefined;
	let names: string[] = [];
	let made = 0;
	return {
		take() {
			directory ??= mkdtempSync(join(tmpdir(), "svc-pipes-"));
			if (names.length === 0) {
				for (let index = 0; index < batch; index++) names.push(join(directory, String(made++)));
				execFileSync("mkfifo", ["-m", "600", ...names]);
			}
			const name = names.pop() ?? "";
			const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
			const write = openSync(name, constants.O_WRONLY);
			unlinkSync(name);
			return { read, write };
		},
		stop() {
			if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
			directory = undefined;
			names = [];
		},
	};
}
