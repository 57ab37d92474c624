import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import type { Storage, TriggerInstanceEntity } from "../../contract/index.ts";
import { noMeters } from "../../http/http-metrics.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { toEngineClock, toTimestamp } from "../basics/clock.ts";
import { LeasePolicy } from "../coordination/lease-policy.ts";
import { EventProcessor } from "./event-processor.ts";

interface Scene {
	readonly storage: Storage;
	/** Ids of the events that were processed, and when their leases ended then. */
	readonly processed: readonly (readonly [string, string | null])[];
	/** Lets the processing of the first event end, and waits for that of the second one. */
	finish(): Promise<void>;
}

const second = 1_000_000;

/** A node with one slot, which has claimed two events; the second one has waited for its slot for most of its lease. */
async function withWaiting(use: (scene: Scene) => Promise<void>): Promise<void> {
	const { createDoor, storage, release } = createSharedStorage();
	let now = 1_900_000_000 * second;
	const parts = { storage: createDoor().plugin.create(), clock: toEngineClock({ now: () => now }), nodeId: "this", leaseSeconds: 60 };
	const processed: [string, string | null][] = [];
	let end = () => {};
	const ended = new Promise<void>((resolve) => {
		end = resolve;
	});
	const react = async ({ id }: TriggerInstanceEntity) => {
		processed.push([id, (await storage.get("trigger_instance", id))?.lease_expires_at ?? null]);
		if (id === "1") await ended;
	};
	const processor = new EventProcessor({
		...{ ...parts, leasing: new LeasePolicy(parts), eventBus: memoryBus().create(), logger: silentLogger, poolSize: 1, pollInterval: 60 },
		hub: { ...noMeters, notifyProcessed: () => undefined } as never,
		eventHandler: () => ({ handle: react }) as never,
	});
	await storage.insert(
		"trigger_instance",
		["1", "2"].map((id) => toPending(id, toTimestamp(now))),
	);
	try {
		await processor.start();
		while (processed.length < 1 || (await storage.count("trigger_instance", { status: "processing" })) < 2)
			await new Promise((resolve) => setTimeout(resolve, 1));
		now += 50 * second;
		await use({
			...{ storage, processed },
			finish() {
				end();
				return processor.stop();
			},
		});
	} finally {
		end();
		await processor.stop();
		await release();
	}
}

function toPending(id: string, occurrence_time: string): TriggerInstanceEntity {
	return {
		...{ id, occurrence_time, trigger: "default.happening", trigger_type: "default.happening", status: "pending", trace_id: "t" },
		...{ unique_key: id, caused_by_id: null, depth: 0, attempt: 0, owner: null, fence: null, lease_expires_at: null },
		...{ failure_reason: null, known_secrets: null, payload: {} },
	};
}

test("an event that has waited for its slot has a whole lease again when it is processed", () =>
	withWaiting(async ({ processed, finish }) => {
		await finish();
		assert.deepEqual(processed, [
			["1", toTimestamp(1_900_000_060 * second)],
			["2", toTimestamp(1_900_000_110 * second)],
		]);
	}));

test("an event that another node has taken over while it waited for its slot is not processed", () =>
	withWaiting(async ({ storage, processed, finish }) => {
		await storage.update("trigger_instance", "2", { owner: "other", fence: "other" });
		await finish();
		assert.deepEqual(
			processed.map(([id]) => id),
			["1"],
		);
	}));

test.run();
