import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ExecutionEntity, isJsonObject, isSvcError, type JsonObject, type RunContext } from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { toChildId } from "../executions/child-identity.ts";
import { flowRunner } from "../runs/flow-runner.test-support.ts";

/** What a run of a flow was given, and what came of reading the result of an execution. */
interface Seen {
	readonly takenUp: RunContext["takenUp"];
	readonly read: JsonObject | null | string;
}

const printed = (seen: Seen | undefined) => (isJsonObject(seen?.read) ? seen.read["stdout"] : seen?.read);

async function withFlows(body: (node: TestEngine, seen: readonly Seen[], ask: (id: string) => void) => Promise<void>): Promise<void> {
	const seen: Seen[] = [];
	let wanted = "";
	const onWork = async ({ takenUp, children }: RunContext) => {
		const read = wanted === "" ? null : await children.result(wanted).catch((error: { readonly code: string }) => error.code);
		seen.push({ takenUp, read });
	};
	const node = await startEngine({ runners: [flowRunner({ onWork })] });
	try {
		await node.engine.actions.create({ name: "flow", runner_type: "flow" });
		await body(node, seen, (id) => {
			wanted = id;
		});
	} finally {
		await node.stop();
	}
}

const step = (key: string, outcome = "succeed") => ({ key, action: "default.scripted", parameters: { outcome, lines: [key] } });

async function runFlow(node: TestEngine, context: JsonObject = {}): Promise<ExecutionEntity> {
	const { id } = await node.submit({ steps: [step("one"), step("two", "fail")] }, { action: "default.flow", context });
	return node.settled(id);
}

const rerun = (node: TestEngine, id: string, input: Parameters<TestEngine["engine"]["executions"]["rerun"]>[1]) =>
	node.engine.executions.rerun(id, input, principal);

test("chosen tasks run again in a new execution, which knows what the earlier ones have come to", async () => {
	await withFlows(async (node, seen, ask) => {
		const first = await runFlow(node);
		assert.deepEqual([first.context["workflow_execution"], first.takes_up, first.context["re-run"]], [first.id, null, undefined]);
		ask(toChildId(first.id, "one"));
		const { entity: asked } = await rerun(node, first.id, { tasks: ["two", "two"], reset: ["two"] });
		const second = await node.settled(asked.id);
		assert.deepEqual(second.context["re-run"], { ref: first.id, tasks: ["two"], reset: ["two"] });
		assert.deepEqual([second.context["workflow_execution"], second.takes_up, second.trace_id], [first.id, first.id, first.trace_id]);
		assert.deepEqual(second.parameters, first.parameters);
		assert.deepEqual(
			(await node.storage.find("execution", { where: { parent_id: second.id } })).map(({ id }) => id),
			[toChildId(second.id, "two")],
		);
		assert.deepEqual(seen[1]?.takenUp, { execution_id: first.id, tasks: ["two"], reset: ["two"], entries: [{ begun: ["one", "two"] }] });
		assert.equal(printed(seen[1]), "one\n");
		// What was taken up by what is taken up counts as well.
		const third = await node.settled((await rerun(node, second.id, { tasks: ["two"] })).entity.id);
		assert.equal(third.context["workflow_execution"], first.id);
		assert.equal(printed(seen[2]), "one\n");
		// As a whole it is a new one.
		const whole = await node.settled((await rerun(node, first.id, {})).entity.id);
		assert.deepEqual([whole.context["workflow_execution"], whole.takes_up, seen[3]?.takenUp], [whole.id, null, undefined]);
		assert.equal(seen[3]?.read, "SVC_NOT_FOUND");
	});
});

test("a request cannot make an execution read what another one has come to", async () => {
	await withFlows(async (node, seen, ask) => {
		const first = await runFlow(node);
		ask(toChildId(first.id, "one"));
		const forged = await runFlow(node, {
			"re-run": { ref: first.id, tasks: ["two"], reset: [] },
			workflow_execution: first.id,
			takes_up: first.id,
		});
		assert.deepEqual([forged.takes_up, forged.context["workflow_execution"]], [null, forged.id]);
		assert.deepEqual([seen[1]?.takenUp, seen[1]?.read], [undefined, "SVC_NOT_FOUND"]);
	});
});

test("tasks are refused that cannot run again, with the reason", async () => {
	await withFlows(async (node) => {
		const flow = await runFlow(node);
		const plain = await node.settled((await node.submit()).id);
		const { id: running } = await node.submit({ steps: [step("one", "hang")] }, { action: "default.flow" });
		await node.settled(running, "running");
		const refused = [
			[flow.id, { tasks: ["one"], parameters: { timeout: 5 } }, /parameters: cannot be used together/],
			[flow.id, { tasks: ["one"], reset: ["two"] }, /reset: must be among tasks; these are missing: two/],
			[flow.id, { reset: ["two"] }, /reset: must be among tasks/],
			[flow.id, { tasks: ["three"] }, /there are none of these: three/],
			[plain.id, { tasks: ["one"] }, /runner type "scripted" has no tasks/],
			[running, { tasks: ["one"] }, /has not ended, it is "running"/],
		] as const;
		const before = await node.storage.count("execution", {});
		for (const [id, input, pattern] of refused) {
			await assert.rejects(rerun(node, id, input), (error) => isSvcError(error, "SVC_INVALID") && pattern.test(error.message));
		}
		assert.equal(await node.storage.count("execution", {}), before);
		await node.engine.executions.cancel(running, principal);
		await node.settled(running);
	});
});

test.run();
