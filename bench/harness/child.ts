import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ChildOptions {
	/** Given to the process as JSON in its first argument. */
	readonly input?: unknown;
	readonly env?: Readonly<Record<string, string>>;
	/** Options for Node itself. */
	readonly nodeOptions?: readonly string[];
	/** Whether it answers messages. */
	readonly answers?: boolean;
}

/** A Node process that has printed its first line. */
export interface Child {
	readonly pid: number;
	/** The JSON of that line. */
	readonly facts: unknown;
	/** Sends a message, and returns the next one that comes back. */
	ask(message: string): Promise<unknown>;
	/** Close its standard input and wait for its end. */
	stop(): Promise<void>;
}

/**
 * Start a file of `bench/processes` in a Node process of its own, with nothing loaded but what it imports itself. It tells
 * what there is to tell in one line of JSON, and ends when its standard input does.
 */
export async function startChild(file: string, { input, env, nodeOptions = [], answers = false }: ChildOptions = {}): Promise<Child> {
	const path = fileURLToPath(new URL(`../processes/${file}`, import.meta.url));
	const argument = input === undefined ? [] : [JSON.stringify(input)];
	const child = spawn(process.execPath, [...nodeOptions, path, ...argument], {
		stdio: ["pipe", "pipe", "inherit", ...(answers ? ["ipc" as const] : [])],
		env: { ...process.env, ...env },
	});
	const exited = once(child, "exit");
	// A process that is gone shows by its exit code.
	child.stdin?.on("error", () => {});
	const facts = await readFirstLine(child, file);
	return {
		pid: child.pid ?? 0,
		facts,
		async ask(message) {
			const answered = once(child, "message");
			child.send(message);
			return (await answered)[0];
		},
		async stop() {
			child.stdin?.end();
			const [code, signal] = await exited;
			if (code !== 0) throw new Error(`${file} ended with ${code ?? signal}`);
		},
	};
}

/** What such a process has to tell, once it has ended. */
export async function runChild(file: string, options: ChildOptions = {}): Promise<unknown> {
	const child = await startChild(file, options);
	await child.stop();
	return child.facts;
}

async function readFirstLine({ stdout }: ChildProcess, file: string): Promise<unknown> {
	if (stdout === null) throw new Error(`${file} has no standard output`);
	for await (const line of createInterface({ input: stdout })) {
		// Whatever it says later has no reader, and must not hold it up.
		stdout.resume();
		return JSON.parse(line);
	}
	throw new Error(`${file} ended without a line of output`);
}
