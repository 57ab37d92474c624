import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, type Storage, SvcError } from "../../contract/index.ts";
import { until, withNodes } from "../nodes/nodes.test-support.ts";

interface Scene {
	readonly id: string;
	/** Of another node. */
	readonly storage: Storage;
	/** Whether the run was told to end. */
	isAborted(): boolean;
	/** Calls of the node's storage fail from here on. */
	cut(): void;
}

/** A run that goes on until it is told to end, on a node with leases of 0.3 s. */
function withRun(name: string, use: (scene: Scene) => Promise<void>): void {
	test(name, () =>
		withNodes(async ({ startNode, storage }) => {
			let signal: AbortSignal | undefined;
			let isCut = false;
			const onCall = () => {
				if (isCut) throw new SvcError("SVC_UNAVAILABLE", "the storage cannot be reached");
			};
			const runner = defineRunner("held", () => ({
				description: "Goes on until it is told to end.",
				capabilities: { cancellation: true },
				parameters: {},
				async run(context) {
					({ signal } = context);
					if (!signal.aborted) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
					return { succeeded: false, result: {} };
				},
			}))();
			const node = await startNode({ onCall, runners: [runner], options: { actionrunner: { graceful_shutdown: false } } });
			await node.engine.actions.create({ name: "held", runner_type: "held" });
			const { id } = await node.submit({}, { action: "default.held" });
			await until(() => signal !== undefined, "the run has begun");
			const cut = () => {
				isCut = true;
			};
			try {
				await use({ id, storage, cut, isAborted: () => signal?.aborted === true });
			} finally {
				isCut = false;
			}
		}),
	);
}

withRun("the lease of a run is renewed while the run goes on", async ({ id, storage, isAborted }) => {
	const expiry = async () => (await storage.get("execution", id))?.lease_expires_at ?? "";
	const first = await expiry();
	await until(async () => (await expiry()) > first, "the lease is renewed", 5);
	assert.equal(isAborted(), false);
});

withRun("a run that another node has taken over is told to end by the next renewal", async ({ id, storage, isAborted }) => {
	await storage.update("execution", id, { owner: "other", fence: "other", lease_expires_at: "2100-01-01T00:00:00.000000Z" });
	await until(isAborted, "the run is told", 5);
	assert.equal((await storage.get("execution", id))?.lease_expires_at, "2100-01-01T00:00:00.000000Z");
});

withRun("a run is told to end once its lease could not be renewed in time", async ({ cut, isAborted }) => {
	cut();
	await until(isAborted, "the run is told", 5);
});

test.run();
