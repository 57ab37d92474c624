import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EndedChildren } from "./ended-children.ts";
import { toReportText } from "./worker-report.ts";

// A process of the test run. It runs the test files that its parent names, one after another, so that each finds the code of the ones before
// loaded and compiled. A file must leave the process as it was; what is easily left behind, this program puts back itself.

declare global {
	/** Tells uvu, before it is loaded, to leave it to us when tests run. */
	var UVU_DEFER: boolean;
	/** The registered tests: a list for each file, which begins with the name that uvu prints. */
	var UVU_QUEUE: [name: null, ...suites: unknown[]][];
}

globalThis.UVU_DEFER = true;
globalThis.UVU_QUEUE = [];
const { exec } = (await import("uvu")) as unknown as { exec(): Promise<void> };
const children = new EndedChildren();
const environment = { ...process.env };
const directory = process.cwd();

async function runFile(file: string): Promise<void> {
	const before = process.cpuUsage();
	globalThis.UVU_QUEUE.splice(0, globalThis.UVU_QUEUE.length, [null]);
	await import(pathToFileURL(resolve(directory, file)).href);
	await exec();
	const code = Number(process.exitCode ?? 0);
	restore();
	const { user, system } = process.cpuUsage(before);
	process.stdout.write(
		toReportText({ code, processorSeconds: (user + system) / 1e6 + children.take(), memory: process.memoryUsage.rss() }),
	);
}

function restore(): void {
	process.exitCode = undefined;
	process.chdir(directory);
	for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
	Object.assign(process.env, environment);
}

process.on("message", (file) => void runFile(String(file)));
