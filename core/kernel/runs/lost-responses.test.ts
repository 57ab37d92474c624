// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, SvcError } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { type TestNode, until, within, withNodes } from "../nodes/nodes.test-support.ts";

// A storage that several nodes share may do what it was asked for and its answer be lost on the way, or not do it: whoever asked
// cannot tell. Here each write of a node meets both fates, one after another, and what comes of it must be the same as without.

const fates = ["lost", "refused"] as const;
type Fate = (typeof fates)[number];

/** Lets one of the writes that concern these kinds meet a fate; `seen` counts them. */
function createFault(kinds: readonly string[], fate: Fate, chosen: number) {
	const fault = { seen: 0, hasMet: false, isOn: false };
	const onCall: OnCall = (method, values) => {
		if (!fault.isOn || !concerns(method, values, kinds)) return;
		fault.seen += 1;
		if (fault.seen !== chosen) return;
		fault.hasMet = true;
		if (fate === "lost") return "lost";
		throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
	};
	return { fault, onCall };
}

function concerns(method: string, [first]: unknown[], kinds: readonly string[]): boolean {
	if (method === "write") return kinds.some((kind) => JSON.stringify(first).includes(`"${kind}"`));
	return ["insert", "update", "claim", "remove"].includes(method) && kinds.includes(String(first));
}

/** Run once for each write of a kind and each fate, until a run has no such write any more. */
async function forEachWrite(most: number, run: (fate: Fate, chosen: number) => Promise<boolean>): Promise<number> {
	let count = 0;
	for (const fate of fates) {
		for (let chosen = 1; chosen <= most && (await run(fate, chosen)); chosen += 1) count += 1;
	}
	return count;
}

/** Says three words at different times, keeps a state, and counts how often it was started. */
function createSpeaker() {
	const starts: string[] = [];
	const plugin = defineRunner("speaker", () => ({
		description: "Speaks.",
		capabilities: { streaming: true, recovery: true },
		parameters: {},
		async run({ execution_id, emit, saveState, captured }) {
			starts.push(execution_id);
			for (const word of ["one", "two", "three"]) {
				await emit("stdout", `${word}\n`);
				// So that each word is stored by a write of its own.
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
			await saveState({ spoken: true });
			return { succeeded: true, result: { stdout: captured("stdout").text } };
		},
		recover: async () => undefined,
	}))();
	return { plugin, starts };
}

test("a run is started once, keeps its output and ends well, whichever of its writes loses its answer or fails", () =>
	withNodes(async ({ startNode, storage }) => {
		const api = await startNode({ only: ["api"], runners: [createSpeaker().plugin] });
		await api.engine.actions.create({ name: "speaker", runner_type: "speaker" });
		const met = await forEachWrite(12, async (fate, chosen) => {
			const { plugin, starts } = createSpeaker();
			const { fault, onCall } = createFault(["execution", "output_chunk"], fate, chosen);
			const options = { scheduler: { lease: 20, poll_interval: 0.05 } };
			const worker = await startNode({ only: ["worker"], runners: [plugin], onCall, options });
			fault.isOn = true;
			const { id } = await api.submit({}, { action: "default.speaker" });
			const ended = await within(10, api.settled(id));
			const what = `write ${chosen} ${fate}`;
			assert.deepEqual([ended.status, ended.result?.["stdout"]], ["succeeded", "one\ntwo\nthree\n"], what);
			assert.deepEqual(
				ended.log.map(({ status }) => status),
				["requested", "scheduled", "running", "succeeded"],
				what,
			);
			assert.deepEqual(starts, [id], what);
			const chunks = await storage.find("output_chunk", { where: { execution_id: id }, orderBy: [["sequence", "asc"]] });
			assert.equal(chunks.map(({ data }) => data).join(""), "one\ntwo\nthree\n", what);
			assert.equal(await storage.count("token", {}), 0, what);
			await worker.stop();
			const [own] = (await api.engine.nodes.list()).filter(({ node }) => node.id === worker.engine.nodeId);
			assert.equal(own, undefined, "it has said that it goes");
			return fault.hasMet;
		});
		// Claim, start, two or three pieces of output, state and end; each both ways.
		assert.ok(met >= 10, `only ${met} writes were seen`);
	}));

test("an execution that a worker takes in itself runs once, though whoever asked for it may not know", () =>
	withNodes(async ({ startNode, storage }) => {
		const { fault, onCall } = createFault(["execution"], "lost", 1);
		const node = await startNode({ onCall, options: { scheduler: { lease: 20, poll_interval: 0.05 } } });
		// Nothing waits any more: the next one is stored as claimed.
		await node.settled((await node.submit()).id);
		fault.isOn = true;
		await assert.rejects(node.submit(), { code: "SVC_UNAVAILABLE" });
		await until(async () => (await storage.count("execution", { status: "succeeded" })) === 2, "both have ended");
		assert.equal(await storage.count("execution", {}), 2);
	}));

async function addRules({ engine }: TestNode, names: readonly string[]): Promise<void> {
	await engine.triggers.types.create({ pack: "default", name: "happening" });
	await engine.actions.create({ name: "gone", runner_type: "scripted" });
	for (const name of names) {
		const action = { ref: name === "lost" ? "default.gone" : "default.scripted" };
		await engine.rules.create({ name, pack: "default", trigger: { type: "default.happening" }, action, enabled: true }, principal);
	}
	await engine.actions.remove("default.gone", { removeFiles: false }, principal);
}

const acting = ["one", "two", "three"];

for (const [how, names, writes] of [
	// The claim, and what all the rules bring about together with the end; each both ways.
	["together", acting, 4],
	// One that cannot act: then each acts by itself.
	["apart", [...acting, "lost"], 8],
] as const) {
	testRules(how, names, writes);
}

function testRules(how: string, names: readonly string[], writes: number): void {
	test(`each rule acts once on an event, all ${how}, whichever write of the node that processes it loses its answer or fails`, () =>
		withNodes(async ({ startNode, storage }) => {
			const api = await startNode({ only: ["api"] });
			await addRules(api, names);
			const met = await forEachWrite(12, async (fate, chosen) => {
				const { fault, onCall } = createFault(["trigger_instance", "rule_enforcement"], fate, chosen);
				const processor = await startNode({ only: ["rules"], onCall, options: { scheduler: { lease: 20, poll_interval: 0.05 } } });
				fault.isOn = true;
				const { instance } = await api.engine.dispatcher.dispatch({ trigger: "default.happening", payload: {} });
				const what = `write ${chosen} ${fate}`;
				await until(async () => (await storage.get("trigger_instance", instance.id))?.status === "processed", what);
				const where = { trigger_instance_id: instance.id };
				const enforced = await storage.find("rule_enforcement", { where });
				const expected = names.map((name) => `default.${name} ${name === "lost" ? "failed" : "succeeded"}`);
				assert.deepEqual(enforced.map(({ rule_ref, status }) => `${rule_ref} ${status}`).sort(), expected.sort(), what);
				assert.equal(await storage.count("execution", where), 3, what);
				await processor.stop();
				return fault.hasMet;
			});
			assert.ok(met >= writes, `only ${met} writes were seen`);
		}));
}

test("a timer fires each of its slots once, whichever write loses its answer or fails", () =>
	withNodes(async ({ startNode, storage }) => {
		const api = await startNode({ only: ["api"] });
		const rule = { name: "tick", pack: "default", action: { ref: "default.scripted" }, enabled: true };
		const met = await forEachWrite(3, async (fate, chosen) => {
			const { fault, onCall } = createFault(["timer"], fate, chosen);
			fault.isOn = true;
			const trigger = { type: "core.svc.IntervalTimer", parameters: { unit: "seconds", delta: 1 } };
			await api.engine.rules.create({ ...rule, trigger }, principal);
			const node = await startNode({ only: ["timers"], onCall, options: { scheduler: { lease: 20, poll_interval: 0.05 } } });
			const fired = async () => (await storage.find("trigger_instance", {})).map(({ unique_key }) => unique_key);
			await until(async () => (await fired()).length >= 2, `two slots with write ${chosen} ${fate}`);
			const slots = (await fired()).map((key) => Date.parse(key.slice(-27)));
			for (const [index, slot] of slots.sort().entries()) assert.equal(slot, (slots[0] ?? 0) + index * 1_000, `write ${chosen} ${fate}`);
			await node.stop();
			await api.engine.rules.remove("default.tick");
			await storage.remove("trigger_instance", { where: {} });
			await storage.remove("timer", { where: {} });
			return fault.hasMet;
		});
		assert.ok(met >= 4, `only ${met} writes were seen`);
	}));

test.run();
