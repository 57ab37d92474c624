import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { type ExecutionStatus, isSvcError } from "../../contract/index.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";

test("a question is answered by those who were asked alone, in every state of it; it can be canceled", async () => {
	const node = await startEngine({ runners: [inquirer()] });
	try {
		const { executions } = node.engine;
		const { id } = await node.submit({ users: ["boss"] }, { action: "core.ask", delay: 600_000 });
		const states: readonly ExecutionStatus[] = ["requested", "delayed", "scheduled", "running", "canceling", "pending"];
		for (const status of states) {
			await node.storage.update("execution", id, { status, queue: "held" });
			for (const asked of ["succeeded", "failed", "timeout", "abandoned", "running", "requested"] as const) {
				if (asked === status) continue;
				const change = { status: asked, result: { response: { continue: true } } };
				await assert.rejects(
					executions.setStatus(id, change, { ...principal, isAdmin: false }),
					(error) => isSvcError(error, "SVC_INVALID") && /inquiry/.test(error.message),
					`${status} to ${asked}`,
				);
			}
		}
		await node.storage.update("execution", id, { status: "delayed" });
		const { entity } = await executions.setStatus(id, { status: "canceled" }, principal);
		assert.deepEqual([entity.status, entity.result?.["response"]], ["canceled", undefined]);
	} finally {
		await node.stop();
	}
});

test("a final state of another execution is still set from outside, with its result", async () => {
	const node = await startEngine();
	try {
		const { id } = await node.submit({}, { delay: 600_000 });
		const change = { status: "succeeded", result: { by: "hand" } } as const;
		const { entity } = await node.engine.executions.setStatus(id, change, principal);
		assert.deepEqual([entity.status, entity.result], ["succeeded", { by: "hand" }]);
	} finally {
		await node.stop();
	}
});

test.run();
