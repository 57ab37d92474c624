import { shippedFeatures } from "../../../plugins/_shipped/features.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { createEngine, type Engine, type Principal } from "../../index.ts";

/** Rules of the service, each of which matches every event. */
export const ruleCount = 3;
export const trigger = "default.happening";
const principal: Principal = { username: "admin", isAdmin: true, authentication: { method: "none" } };

/** An engine on the database of a directory, with its rules. */
export async function startRuleService(directory: string): Promise<Engine> {
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
	if ((await engine.rules.list({}, {})).total < ruleCount) await addRules(engine);
	return engine;
}

async function addRules(engine: Engine): Promise<void> {
	await engine.triggers.types.create({ pack: "default", name: "happening" });
	for (let number = 1; number <= ruleCount; number += 1) {
		const rule = { name: `rule_${number}`, trigger: { type: trigger }, action: { ref: "core.noop" }, enabled: true };
		await engine.rules.create(rule, principal);
	}
}

const [, , directory] = process.argv;

// As a program of its own: dispatches events until it is killed, and prints the id of each that is acknowledged.
if (import.meta.filename === process.argv[1] && directory !== undefined) {
	const engine = await startRuleService(directory);
	const dispatchForever = async () => {
		for (;;) {
			const { instance } = await engine.dispatcher.dispatch({ trigger, payload: { at: Date.now() } });
			process.stdout.write(`${instance.id}\n`);
		}
	};
	process.stdout.write("ready\n");
	await Promise.all(Array.from({ length: 20 }, dispatchForever));
}
