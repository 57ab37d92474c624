import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pipe, Spawner } from "./spawner.ts";

const pipesPerBatch = 16;

/** Creates a spawner that uses Node's own spawn. It works everywhere, but each start costs a fork. */
export function createNodeSpawner(): Spawner {
	const pipes = createPipeSource();
	return {
		name: "child_process",
		// Node itself makes the reading end block if it becomes the standard input of a process.
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

/** Makes pipes in batches, because Node can only make sockets. A pipe is a named pipe whose name is removed once both ends are open. */
function createPipeSource(): { take(): Pipe; stop(): void } {
	let pipes: Pipe[] = [];
	return {
		take() {
			if (pipes.length === 0) pipes = makePipes();
			const pipe = pipes.pop();
			if (pipe === undefined) throw new Error("no pipe could be created");
			return pipe;
		},
		stop() {
			for (const { read, write } of pipes) {
				closeSync(read);
				closeSync(write);
			}
			pipes = [];
		},
	};
}

function makePipes(): Pipe[] {
	const directory = mkdtempSync(join(tmpdir(), "svc-pipes-"));
	try {
		const names = Array.from({ length: pipesPerBatch }, (_, index) => join(directory, String(index)));
		makeNamedPipes(names);
		return names.map((name) => {
			const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
			return { read, write: openSync(name, constants.O_WRONLY) };
		});
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Runs mkfifo. Throws an error without a system code, because a code would be reported as a problem of the file to be started. */
function makeNamedPipes(names: readonly string[]): void {
	try {
		execFileSync("mkfifo", ["-m", "600", ...names]);
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new Error(`no pipe can be created for its output: ${reason}; install the command mkfifo or the optional package koffi`, {
			cause,
		});
	}
}
