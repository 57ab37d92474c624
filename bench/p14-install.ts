import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Benchmark, Resource } from "./harness/benchmark.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));

export const benchmark: Benchmark = {
	id: "P14",
	title: "the packed package installed into an empty project, without its development dependencies",
	goals: [
		{ name: "without", label: "installed without optional packages", unit: "MB", direction: "at most", limits: [40] },
		{ name: "whole", label: "installed with them", unit: "MB", direction: "at most", limits: [140] },
	],
	async run(round) {
		// The same in every round: installed once.
		const { without, whole } = await round.use("installs", measureInstalls);
		return { values: { without, whole }, detail: `${without.toFixed(1)} MB without optional packages, ${whole.toFixed(1)} MB with` };
	},
};

async function measureInstalls(): Promise<Resource & { readonly without: number; readonly whole: number }> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const stop = () => rm(directory, { recursive: true, force: true });
	try {
		await execute("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", directory], { cwd: root });
		const [tarball] = (await readdir(directory)).filter((name) => name.endsWith(".tgz"));
		if (tarball === undefined) throw new Error("npm pack has made no package");
		const measure = async (name: string, options: readonly string[]) => {
			const project = join(directory, name);
			await mkdir(project);
			await writeFile(join(project, "package.json"), "{}");
			const quiet = ["--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
			await execute("npm", ["install", "--prefix", project, ...quiet, ...options, join(directory, tarball)], { cwd: project });
			return (await measureFiles(join(project, "node_modules"))) / 1_000_000;
		};
		return { without: await measure("without", ["--omit=optional"]), whole: await measure("whole", []), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Bytes that its files take on the disk. */
async function measureFiles(directory: string): Promise<number> {
	let bytes = 0;
	for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
		if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).blocks * 512;
	}
	return bytes;
}
