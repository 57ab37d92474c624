import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { type Files, keepVersion, packsOf } from "../../features/packs/activation/pack-activation.test-support.ts";
import { createEngine, type Engine } from "../../index.ts";

/** Actions of each version, of which half has another name in the next one. */
export const actionCount = 200;
/** Rules of each version, likewise. */
export const ruleCount = 20;

/** An engine on the database of a directory. */
export async function startPackService(directory: string): Promise<Engine> {
	const engine = createEngine(
		{
			features: shippedFeatures(),
			storage: knexStorage({ client: "sqlite" }),
			event_bus: memoryBus(),
			runners: [noop()],
			data_dir: directory,
			auth: { enable: false },
			log: { level: "error" },
		},
		{ directory },
	);
	await engine.start();
	return engine;
}

/** Files that say which version they are of. */
export function toFiles(version: string): Files {
	const files: Record<string, string> = {};
	const nameOf = (index: number) => (index % 2 === 0 ? `both_${index}` : `${version}_${index}`);
	for (let index = 0; index < actionCount; index += 1) {
		files[`actions/${nameOf(index)}.yaml`] = `name: ${nameOf(index)}\ndescription: ${version}\nrunner_type: noop\n`;
	}
	for (let index = 0; index < ruleCount; index += 1) {
		const trigger = `{type: core.svc.webhook, parameters: {url: ${version}/${index}}}`;
		files[`rules/${nameOf(index)}.yaml`] =
			`name: ${nameOf(index)}\ndescription: ${version}\nenabled: true\ntrigger: ${trigger}\naction: {ref: core.noop}\n`;
	}
	return files;
}

const [, , directory] = process.argv;

// As a program of its own: switches between two versions until it is killed, and prints each that is in place.
if (import.meta.filename === process.argv[1] && directory !== undefined) {
	const engine = await startPackService(directory);
	const versions = [];
	for (const name of ["a", "b"]) versions.push([name, await keepVersion(engine, "disk", toFiles(name))] as const);
	process.stdout.write("ready\n");
	for (;;) {
		for (const [name, version] of versions) {
			await packsOf(engine).switch.apply([version]);
			process.stdout.write(`${name}\n`);
		}
	}
}
