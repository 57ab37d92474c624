import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SnapshotSettings, WorkerSettings } from "./messages.ts";

/** Megabytes of JavaScript objects; Python's memory is not among them. */
const heapSize = 256;
/** Made by the build. From source these are the built ones too: a loader of TypeScript needs more than a worker may do. */
const files = new URL(
	import.meta.url.endsWith(".ts") ? "../../../dist/plugins-runner/python-script/pyodide/worker/" : "./worker/",
	import.meta.url,
);

/** Arguments for Node to run a worker that reaches no file but what it needs. */
export function toWorkerArguments(settings: WorkerSettings): string[] {
	const readable = [
		fileURLToPath(files),
		`${dirname(fileURLToPath(settings.pyodide))}/`,
		settings.snapshot,
		settings.directory,
		...settings.pythonPaths,
	];
	return [
		...createOptions(),
		permission,
		...readable.map((path) => `--allow-fs-read=${path}`),
		"--allow-worker",
		// Only for module paths and eval; WebAssembly is not meant.
		"--disallow-code-generation-from-strings",
		toFile("main.js"),
		JSON.stringify(settings),
	];
}

/** Path of the program that makes snapshots. */
export const snapshotProgram = toFile("make-snapshot.js");

/** Arguments for Node to make a snapshot. No code of an action is run there. */
export function toSnapshotArguments(settings: SnapshotSettings): string[] {
	return [...createOptions(), snapshotProgram, JSON.stringify(settings)];
}

/** The name of the option changed when the permission model was found stable. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";

/** The major version of Node that has them without being told. */
const firstSwitching = 24;

function createOptions(): string[] {
	// Stacks that can be switched: with newer versions as a matter of course.
	const switching = Number.parseInt(process.versions.node, 10) < firstSwitching ? ["--experimental-wasm-stack-switching"] : [];
	return ["--no-warnings", `--max-old-space-size=${heapSize}`, ...switching];
}

function toFile(name: string): string {
	return join(fileURLToPath(files), name);
}
