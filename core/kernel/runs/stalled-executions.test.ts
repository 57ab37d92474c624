import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { defineRunner, type ExecutionEntity, type Storage } from "../../contract/index.ts";
import { startEngine } from "../../testing/engine/engine.test-support.ts";
import { within } from "../nodes/nodes.test-support.ts";
import { isStalled, maxIdleStateChanges } from "./run-completion.ts";

/** Asks a question, and goes on whenever it has paused, as the answer had come. */
const restless = defineRunner("restless", () => ({
	description: "Pauses, and goes on at once.",
	capabilities: { cancellation: true, recovery: true, workflow: true },
	parameters: {},
	async run({ saveState, children, request }) {
		await saveState({});
		await children.start({ key: "ask", action: "core.ask" });
		await request("pause");
		return { succeeded: false, status: "resuming", result: { output: null } };
	},
	async recover({ request }) {
		await request("pause");
		return { succeeded: false, status: "resuming", result: { output: null } };
	},
}));

test("an execution that changes its state again and again without progress is stopped, says so, and leaves no question", async () => {
	const node = await startEngine({ runners: [restless(), inquirer()] });
	try {
		await node.engine.actions.create({ name: "restless", runner_type: "restless" });
		const { id } = await node.submit({}, { action: "default.restless" });
		const { status, log, result } = await within(60, node.settled(id));
		assert.equal(status, "failed");
		assert.match(String(result?.["error"]), /its state changed 500 times without progress/);
		assert.ok(log.length < maxIdleStateChanges + 10, String(log.length));
		const [question] = await node.storage.find("execution", { where: { parent_id: id } });
		assert.equal(question?.status, "canceled");
	} finally {
		await node.stop();
	}
});

test("one that changes its state as often goes on if anything below it, at any depth, has started or ended meanwhile", async () => {
	const node = await startEngine({ runners: [inquirer()] });
	try {
		const parent = await node.submit();
		const child = await node.submit({}, { action: "core.ask", context: { parent: { execution_id: parent.id } } });
		await node.settled(child.id, "pending");
		const after = (timestamp: string) => {
			const log = Array.from({ length: maxIdleStateChanges + 1 }, () => ({ status: "running", timestamp }) as const);
			return isStalled(node.storage as Storage, { id: parent.id, log } as Pick<ExecutionEntity, "id" | "log">);
		};
		assert.equal(await after(parent.start_timestamp), false);
		const late = "2100-01-01T00:00:00.000000Z";
		assert.equal(await after(late), true);
		await node.submit({}, { context: { parent: { execution_id: child.id } } });
		const [below] = await node.storage.find("execution", { where: { parent_id: child.id } });
		await node.storage.update("execution", below?.id ?? "", { start_timestamp: "2100-01-02T00:00:00.000000Z" });
		assert.equal(await after(late), false);
		const few = Array.from({ length: maxIdleStateChanges }, () => ({ status: "running", timestamp: late }) as const);
		assert.equal(await isStalled(node.storage, { id: child.id, log: few }), false);
	} finally {
		await node.stop();
	}
});

test.run();
