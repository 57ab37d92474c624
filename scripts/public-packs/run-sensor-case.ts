import { setTimeout as pause } from "node:timers/promises";
import type { WireRecord } from "../../core/testing/http/service.test-support.ts";
import type { PackBench } from "./pack-bench.ts";
import type { CaseOutcome } from "./run-case.ts";
import type { SensorCase } from "./sensor-cases.ts";

/** Milliseconds in which the rule must have acted, and between two looks. */
const longest = 60_000;
const interval = 1_000;

/** Have a sensor see an event that a rule acts on, as an operator does it: configure the pack, write the rule, switch the sensor on. */
export async function runSensorCase(given: SensorCase, bench: PackBench): Promise<CaseOutcome> {
	const action = given.sensor;
	if (!(await bench.service.ask(`/v1/sensortypes/${action}`)).ok) return { action, verdict: "left out", shown: "is not registered" };
	const release = given.prepare === undefined ? () => {} : await given.prepare(bench);
	if (release === undefined) return { action, verdict: "left out", shown: "what it watches cannot be had here" };
	try {
		await begin(given, bench);
		const end = performance.now() + longest;
		for (;;) {
			await given.provoke?.(bench);
			await pause(interval);
			const found = await findOutput(given.expected, bench);
			if (found !== undefined)
				return { action, verdict: "same", shown: `${await state(action, bench)}; the rule's action has printed ${JSON.stringify(found)}` };
			if (performance.now() > end) return { action, verdict: "differs", shown: await state(action, bench) };
		}
	} finally {
		await put(bench, `/v1/sensortypes/${action}`, { enabled: false });
		release();
	}
}

async function begin({ sensor, config, rule }: SensorCase, bench: PackBench): Promise<void> {
	const [pack, name] = sensor.split(".");
	const fill = (value: object) => JSON.parse(JSON.stringify(value).replaceAll("{files}", bench.files("service"))) as object;
	await put(bench, `/v1/sensortypes/${sensor}`, { enabled: false });
	if (config !== undefined) await put(bench, `/v1/configs/${pack}`, fill(config));
	if (rule !== undefined) {
		const action = { ref: "core.local", parameters: { cmd: `echo "${rule.echo}"` } };
		const body = JSON.stringify(fill({ name: `on_${name}`, pack: "default", enabled: true, trigger: rule.trigger, criteria: {}, action }));
		const answer = await bench.service.ask("/v1/rules", { method: "POST", body });
		if (!answer.ok) console.log(`\trule\t${await answer.text()}`);
	}
	await put(bench, `/v1/sensortypes/${sensor}`, { enabled: true });
}

async function put({ service }: PackBench, path: string, body: object): Promise<void> {
	const answer = await service.ask(path, { method: "PUT", body: JSON.stringify(body) });
	if (!answer.ok) console.log(`\t${path}\t${await answer.text()}`);
}

/** What an execution that a rule has asked for has printed. */
async function findOutput(expected: string, { service }: PackBench): Promise<string | undefined> {
	const executions = (await (await service.ask("/v1/executions?action=core.local&limit=100")).json()) as WireRecord[];
	const outputs = executions
		.filter(({ rule }) => rule !== undefined)
		.map(({ result }) => String((result as WireRecord | null)?.["stdout"] ?? ""));
	return outputs.find((text) => text.includes(expected))?.slice(0, 200);
}

async function state(sensor: string, { service }: PackBench): Promise<string> {
	const { state, last_error } = (await (await service.ask(`/v1/sensortypes/${sensor}`)).json()) as WireRecord;
	return `${String(state)}${last_error === null ? "" : ` ${String(last_error).slice(-600)}`}`;
}
