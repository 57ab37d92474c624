import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { ExecutionEntity, JsonObject } from "../../core/contract/index.ts";
import { principal, startEngine } from "../../core/testing/engine/engine.test-support.ts";
import { noop } from "../noop/index.ts";
import { workflow } from "./index.ts";

interface Flow {
	/** Members of the action besides its name, runner and entry point. */
	readonly action?: JsonObject;
	readonly definition: JsonObject;
	readonly given?: JsonObject;
}

/** The end of a workflow that runs in an engine as the action `flows.flow`. */
async function runFlow({ action = {}, definition, given = {} }: Flow): Promise<ExecutionEntity> {
	const packs = await mkdtemp(join(tmpdir(), "svc-flow-"));
	const files: Readonly<Record<string, JsonObject>> = {
		"pack.yaml": { ref: "flows", name: "flows", description: "Workflows of tests.", version: "1.0.0", author: "tests" },
		"actions/flow.yaml": { ...action, name: "flow", runner_type: "workflow", entry_point: "workflows/flow.yaml" },
		"actions/workflows/flow.yaml": { version: 1, ...definition },
	};
	await mkdir(join(packs, "flows", "actions", "workflows"), { recursive: true });
	for (const [path, content] of Object.entries(files)) await writeFile(join(packs, "flows", path), JSON.stringify(content));
	const { engine, settled, stop } = await startEngine({ runners: [workflow(), noop()], options: { packs: [packs] } });
	try {
		const { entity } = await engine.executions.submit({ action: "flows.flow", parameters: given }, principal);
		return await settled(entity.id);
	} finally {
		await stop();
		await rm(packs, { recursive: true, force: true });
	}
}

test("an optional parameter that is not given is null in the expressions of a workflow", async () => {
	const ended = await runFlow({
		action: { parameters: { count: { type: "integer" }, label: { type: "string" } } },
		definition: {
			input: ["count", "label"],
			vars: [{ text: "{{ ctx().label }}" }],
			tasks: { one: { action: "core.noop", next: [{ when: "<% ctx(label) = null %>", publish: [{ seen: "<% ctx(count) %>" }] }] } },
			output: [{ count: "<% ctx().count %>" }, { label: "{{ ctx('label') }}" }, { seen: "<% ctx().seen %>" }, { text: "<% ctx(text) %>" }],
		},
	});
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	assert.deepEqual(ended.result?.["output"], { count: null, label: null, seen: null, text: null });
});

test("an unknown action that is chosen at run time fails its task alone", async () => {
	const ended = await runFlow({
		action: { parameters: { chosen: { type: "string" } } },
		definition: {
			input: ["chosen"],
			tasks: {
				unknown: { action: "<% ctx(chosen) %>", next: [{ when: "<% failed() %>", publish: [{ seen: "failed" }], do: "after" }] },
				beside: { action: "core.noop", next: [{ publish: [{ beside: "succeeded" }] }] },
				after: { action: "core.noop" },
			},
			output: [{ seen: "<% ctx().seen %>" }, { beside: "<% ctx().beside %>" }],
		},
		given: { chosen: "flows.nowhere" },
	});
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	assert.deepEqual(ended.result?.["output"], { seen: "failed", beside: "succeeded" });
});

test.run();
