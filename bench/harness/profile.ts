import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

interface ProfileNode {
	readonly id: number;
	readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
	readonly children?: readonly number[];
}

interface CpuProfile {
	readonly nodes: readonly ProfileNode[];
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

const shown = 30;

/** Options that make Node write a CPU profile at its end, when `npm run bench` was asked for one. */
export function profileOptions(directory: string): readonly string[] {
	return process.env["SVC_BENCH_PROFILE"] === "1" ? ["--cpu-prof", `--cpu-prof-dir=${directory}`] : [];
}

/** Print where the time of the server's main thread went, start included. Nothing without a profile. */
export async function printProfile(directory: string): Promise<void> {
	const file = await findLargestProfile(directory);
	if (file === undefined) return;
	const profile = JSON.parse(await readFile(file, "utf8")) as CpuProfile;
	const own = measureNodes(profile);
	const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
	const alone = new Map<string, number>();
	for (const { id, callFrame } of profile.nodes) add(alone, toPlace(callFrame), own.get(id) ?? 0);
	const together = new Map<string, number>();
	const [root] = profile.nodes;
	if (root !== undefined) addWithCallees(root, { nodes, own, together, above: new Set() });
	const busy = [...own.values()].reduce((sum, milliseconds) => sum + milliseconds, 0);
	process.stdout.write(`  profile: busy ${busy.toFixed(0)} ms\n`);
	print("functions by themselves", alone, busy);
	print("the service's functions with all they call", new Map([...together].filter(([place]) => place.includes(" dist/"))), busy);
}

/** Worker threads write profiles of their own; the main thread's is the largest under load. */
async function findLargestProfile(directory: string): Promise<string | undefined> {
	const files = (await readdir(directory)).filter((name) => name.endsWith(".cpuprofile")).map((name) => join(directory, name));
	const sizes = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
	return sizes.sort((a, b) => b.size - a.size)[0]?.file;
}

/** Milliseconds spent in each node itself, idle ones left out. */
function measureNodes({ nodes, samples, timeDeltas }: CpuProfile): Map<number, number> {
	const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
	const own = new Map<number, number>();
	for (const [index, id] of samples.entries()) if (!idle.has(id)) add(own, id, (timeDeltas[index] ?? 0) / 1000);
	return own;
}

interface Walk {
	readonly nodes: ReadonlyMap<number, ProfileNode>;
	readonly own: ReadonlyMap<number, number>;
	readonly together: Map<string, number>;
	/** Callers: a function that calls itself counts once. */
	readonly above: ReadonlySet<string>;
}

function addWithCallees(node: ProfileNode, walk: Walk): number {
	const place = toPlace(node.callFrame);
	const below = { ...walk, above: new Set([...walk.above, place]) };
	let total = walk.own.get(node.id) ?? 0;
	for (const id of node.children ?? []) {
		const child = walk.nodes.get(id);
		if (child !== undefined) total += addWithCallees(child, below);
	}
	if (!walk.above.has(place)) add(walk.together, place, total);
	return total;
}

function toPlace({ functionName, url, lineNumber }: ProfileNode["callFrame"]): string {
	const file = url.replace(/^file:\/\/.*?\/(?=(dist|node_modules)\/)/, "").replace(/^\/.*?(?=node_modules\/)/, "");
	return `${functionName || "(anonymous)"} ${file === "" ? "" : `${file}:${lineNumber + 1}`}`;
}

function add<K>(sums: Map<K, number>, key: K, value: number): void {
	sums.set(key, (sums.get(key) ?? 0) + value);
}

function print(title: string, costs: ReadonlyMap<string, number>, busy: number): void {
	process.stdout.write(`  ${title}\n`);
	const most = [...costs].filter(([place]) => !place.startsWith("(root)")).sort((a, b) => b[1] - a[1]);
	for (const [place, milliseconds] of most.slice(0, shown)) {
		process.stdout.write(`    ${((100 * milliseconds) / busy).toFixed(1).padStart(5)} %  ${place}\n`);
	}
}
