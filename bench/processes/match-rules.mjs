// Rules as the service keeps them, built, on a store of their own: processor time to find those of a trigger and to decide their
// criteria for an event that matches none.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { dataDirectory, wanted, others, events, changes } = JSON.parse(process.argv[2]);

const built = (path) => import(new URL(`../../${path}`, import.meta.url).href);
const { RuleIndex } = await built(await bundle("core/features/rules/rule-index.ts"));
const { createPluginContext } = await built("dist/core/testing/index.js");
const { knexStorage } = await built("dist/plugins/storage-knex/index.js");

const trigger = "bench.wanted";
const perTrigger = 10;
const payload = { body: { action: "other", parameters: { branch: "main" } } };

function toRule(_none, number) {
	const on = number < wanted ? trigger : `bench.other-${Math.floor(number / perTrigger)}`;
	return {
		id: number.toString(16).padStart(24, "0"),
		ref: `bench.rule-${number}`,
		pack: "bench",
		name: `rule-${number}`,
		description: "",
		type: "standard",
		enabled: true,
		trigger: on,
		trigger_type: on,
		action_ref: "core.noop",
		user: "admin",
		revision: randomUUID(),
		metadata_file: null,
		criteria: { "trigger.body.action": { type: "equals", pattern: `deploy-${number}` } },
		action_parameters: {},
		type_parameters: {},
		tags: [],
	};
}

/** What no export of the package leads to; gives the path of the built file. */
async function bundle(source) {
	const outfile = "build/bench/rule-index.js";
	const options = { bundle: true, format: "esm", platform: "node", packages: "external" };
	await build({ ...options, entryPoints: [source], outfile, absWorkingDir: fileURLToPath(new URL("../../", import.meta.url)) });
	return outfile;
}

/** As the processing of a trigger instance does it. */
async function match() {
	let count = 0;
	for (const { criteria } of await index.rulesOf(trigger)) {
		const evaluated = criteria.evaluate(payload, { now: 0 });
		const verdict = evaluated instanceof Promise ? await evaluated : evaluated;
		if (!verdict.matched) count += 1;
	}
	if (count !== wanted) throw new Error(`${count} rules were looked at where there are ${wanted}`);
}

/** Milliseconds of processor time each, the second time, when all is compiled. */
async function measure(times, work) {
	for (let time = 0; time < times / 2; time++) await work();
	const before = process.cpuUsage();
	for (let time = 0; time < times; time++) await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000 / times;
}

const storage = knexStorage({ client: "sqlite" }).create();
await storage.start(createPluginContext({ dataDirectory }));
const rules = Array.from({ length: wanted + others }, toRule);
for (let first = 0; first < rules.length; first += 100) await storage.insert("rule", rules.slice(first, first + 100));
let change = () => undefined;
const feed = {
	onChange(listener) {
		change = listener;
	},
};
const index = new RuleIndex({ storage, changes: feed });
const event = await measure(events, match);
const afterChange = await measure(changes, () => {
	change();
	return match();
});
await storage.stop();

process.stdout.write(`${JSON.stringify({ event, afterChange })}\n`);
process.stdin.resume();
