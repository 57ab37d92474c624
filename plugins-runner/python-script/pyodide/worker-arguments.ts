import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SnapshotSettings, WorkerSettings } from "./worker-protocol.ts";

/** Maximum size of the JavaScript heap in megabytes; Python's memory is not part of it. */
const heapSize = 256;
/**
 * Directory of the built worker files. Running from source also uses them, because a TypeScript loader needs more permissions than a worker
 * has.
 */
const files = new URL(
	import.meta.url.endsWith(".ts") ? "../../../dist/plugins-runner/python-script/pyodide/worker/" : "./worker/",
	import.meta.url,
);

/** Returns the Node.js arguments for a worker, which may read only the files that it needs. */
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
		// Disallows `eval` and similar; WebAssembly is not affected.
		"--disallow-code-generation-from-strings",
		toFile("main.js"),
		JSON.stringify(settings),
	];
}

/** Path of the program that makes snapshots. */
export const snapshotProgram = toFile("make-snapshot.js");

/** Returns the Node.js arguments to make a snapshot. That process runs no code of actions and has no permission limits. */
export function toSnapshotArguments(settings: SnapshotSettings): string[] {
	return [...createOptions(), snapshotProgram, JSON.stringify(settings)];
}

/** Name of the option: it changed when Node's permission model became stable. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";

/** First major version of Node.js in which stack switching is enabled by default. */
const firstSwitching = 24;

function createOptions(): string[] {
	// Older versions need an option to enable stack switching.
	const switching = Number.parseInt(process.versions.node, 10) < firstSwitching ? ["--experimental-wasm-stack-switching"] : [];
	return ["--no-warnings", `--max-old-space-size=${heapSize}`, ...switching];
}

function toFile(name: string): string {
	return join(fileURLToPath(files), name);
}
