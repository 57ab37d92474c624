import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { defineRunner } from "../../core/contract/index.ts";
import { principal, startEngine } from "../../core/testing/engine/engine.test-support.ts";
import { noop } from "../noop/index.ts";
import { workflow } from "./index.ts";

const size = 10_000_000;
const tasks = 10;

/** Its result holds much, and no two have the same. */
const large = defineRunner("large", () => ({
	description: "Has a large result.",
	capabilities: {},
	parameters: {},
	run: async ({ execution_id }) => ({ succeeded: true, result: { id: execution_id, data: "0123456789".repeat(size / 10) } }),
}));

/** The first task publishes what it has made, whole and in part; each of the others publishes it once more under another name. */
function toDefinition(): object {
	const pass = (index: number) => ({
		action: "core.noop",
		next: [{ publish: [{ [`copy${index}`]: "<% ctx(data) %>" }], ...(index < tasks && { do: `task${index + 1}` }) }],
	});
	const first = { action: "big.make", next: [{ publish: [{ all: "<% result() %>" }, { data: "<% result().data %>" }], do: "task2" }] };
	const rest = Array.from({ length: tasks - 1 }, (_, index) => [`task${index + 2}`, pass(index + 2)]);
	return { version: 1, tasks: { task1: first, ...Object.fromEntries(rest) }, output: [{ data: "<% ctx(copy10) %>" }] };
}

async function writePack(packs: string): Promise<void> {
	const actions = join(packs, "big", "actions");
	await mkdir(join(actions, "workflows"), { recursive: true });
	const manifest = { ref: "big", name: "big", description: "Large values.", version: "1.0.0", author: "tests" };
	await writeFile(join(packs, "big", "pack.yaml"), JSON.stringify(manifest));
	await writeFile(join(actions, "make.yaml"), JSON.stringify({ name: "make", runner_type: "large" }));
	const action = { name: "pass", runner_type: "workflow", entry_point: "workflows/pass.yaml" };
	await writeFile(join(actions, "pass.yaml"), JSON.stringify(action));
	await writeFile(join(actions, "workflows", "pass.yaml"), JSON.stringify(toDefinition()));
}

test(`ten megabytes that ${tasks} tasks pass on are stored with the first of them and with the workflow`, async () => {
	const packs = await mkdtemp(join(tmpdir(), "svc-large-"));
	await writePack(packs);
	const { engine, storage, settled, stop } = await startEngine({ runners: [workflow(), noop(), large()], options: { packs: [packs] } });
	try {
		const { entity } = await engine.executions.submit({ action: "big.pass", parameters: {} }, principal);
		const ended = await settled(entity.id);
		const { data } = (ended.result?.["output"] ?? {}) as { readonly data?: string };
		assert.deepEqual([ended.status, data?.length], ["succeeded", size]);
		const children = await storage.find("execution", { where: { parent_id: entity.id } });
		const journal = await storage.find("journal_entry", { where: { execution_id: entity.id } });
		const stored = JSON.stringify([ended, children, journal]).length;
		// Once as the result of the first task, once as that of the workflow.
		assert.ok(stored < 2.1 * size, `${stored} bytes are stored`);
	} finally {
		await stop();
		await rm(packs, { recursive: true, force: true });
	}
});

test.run();
