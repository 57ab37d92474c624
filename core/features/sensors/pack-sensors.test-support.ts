import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defineRunner, type PackSensorDefinition, type RunnerPlugin, type SensorContext } from "../../contract/index.ts";

/** A run of a sensor that a pack has brought. */
export interface FakeRun {
	readonly definition: PackSensorDefinition;
	/** What its file held when it began. */
	readonly text: string;
	readonly context: SensorContext;
	hasEnded: boolean;
}

export interface FakeLanguage {
	readonly plugin: RunnerPlugin;
	/** In the order of their beginning. */
	readonly runs: readonly FakeRun[];
	/** Those that have not ended. */
	active(): readonly FakeRun[];
}

/** A runner for sensors in files that end in `.fake`. `deaf`: what is in such a file goes on for a while after it was told to end. */
export function createFakeLanguage(): FakeLanguage {
	const runs: FakeRun[] = [];
	const plugin = defineRunner("fake", () => ({
		description: "Runs nothing but sensors.",
		parameters: {},
		capabilities: {},
		run: async () => ({ succeeded: true, result: {} }),
		packSensors: {
			suffixes: [".fake"],
			create: (definition) => ({
				...definition,
				run: async (context) => {
					const run: FakeRun = { definition, text: await readFile(definition.entryPoint, "utf8"), context, hasEnded: false };
					runs.push(run);
					if (run.text.includes("broken")) throw new Error("the file is broken");
					await new Promise<void>((resolve) => {
						if (context.signal.aborted) resolve();
						else context.signal.addEventListener("abort", () => resolve(), { once: true });
					});
					if (run.text.includes("deaf")) await new Promise((resolve) => setTimeout(resolve, 300));
					run.hasEnded = true;
				},
			}),
		},
	}))();
	return { plugin, runs, active: () => runs.filter(({ hasEnded }) => !hasEnded) };
}

const manifest = "name: disk\nversion: 1.2.3\ndescription: d\nauthor: Ann\n";

export interface PackOnDisk {
	readonly directory: string;
	write(files: Readonly<Record<string, string>>): Promise<void>;
	remove(): Promise<void>;
}

/** The directory of a pack `disk` with these files. */
export async function createPackOnDisk(files: Readonly<Record<string, string>>): Promise<PackOnDisk> {
	const root = await mkdtemp(join(tmpdir(), "svc-packs-"));
	const directory = join(root, "disk");
	const write = async (more: Readonly<Record<string, string>>) => {
		for (const [name, text] of Object.entries(more)) {
			await mkdir(dirname(join(directory, name)), { recursive: true });
			await writeFile(join(directory, name), text);
		}
	};
	await write({ "pack.yaml": manifest, ...files });
	return { directory, write, remove: () => rm(root, { recursive: true, force: true }) };
}
