import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

interface CpuProfile {
	readonly nodes: readonly {
		readonly id: number;
		readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
	}[];
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

const shown = 25;

/** Options that make Node write a CPU profile at its end, when `npm run bench` was asked for one. */
export function profileOptions(directory: string): readonly string[] {
	return process.env["SVC_BENCH_PROFILE"] === "1" ? ["--cpu-prof", `--cpu-prof-dir=${directory}`] : [];
}

/** Print where the time of the server's main thread went: by function and by file. Nothing without a profile. */
export async function printProfile(directory: string): Promise<void> {
	const file = await findLargestProfile(directory);
	if (file === undefined) return;
	const profile = JSON.parse(await readFile(file, "utf8")) as CpuProfile;
	const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, toPlace(callFrame)]));
	const byFunction = new Map<string, number>();
	const byFile = new Map<string, number>();
	profile.samples.forEach((id, index) => {
		const { name, file } = places.get(id) ?? { name: "?", file: "?" };
		const milliseconds = (profile.timeDeltas[index] ?? 0) / 1000;
		byFunction.set(`${name} ${file}`, (byFunction.get(`${name} ${file}`) ?? 0) + milliseconds);
		byFile.set(file, (byFile.get(file) ?? 0) + milliseconds);
	});
	print("by function", byFunction);
	print("by file", byFile);
}

/** Worker threads write profiles of their own; the main thread's is the largest under load. */
async function findLargestProfile(directory: string): Promise<string | undefined> {
	const files = (await readdir(directory)).filter((name) => name.endsWith(".cpuprofile")).map((name) => join(directory, name));
	const sizes = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
	return sizes.sort((a, b) => b.size - a.size)[0]?.file;
}

function toPlace({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): { name: string; file: string } {
	const file = url.replace(/^file:\/\/.*?\/(?=(dist|node_modules)\/)/, "");
	const place = file === "" ? "" : `:${lineNumber + 1}`;
	return { name: `${functionName || "(anonymous)"}${place}`, file: file || "(native)" };
}

function print(title: string, costs: ReadonlyMap<string, number>): void {
	const busy = [...costs].filter(([name]) => !name.startsWith("(idle)"));
	const total = busy.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
	process.stdout.write(`  profile ${title}, ${total.toFixed(0)} ms busy\n`);
	for (const [name, milliseconds] of busy.sort((a, b) => b[1] - a[1]).slice(0, shown)) {
		process.stdout.write(`    ${((100 * milliseconds) / total).toFixed(1).padStart(5)} %  ${name}\n`);
	}
}
