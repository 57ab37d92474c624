import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import type { ExecutionEntity } from "../../contract/index.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import type { InquiryEndDependencies } from "./inquiries.ts";
import { endExpiredInquiries } from "./inquiry-expiry.ts";

const minutes = 60_000_000;

test("questions that nobody answered in time end as timed out, each once, with what they asked", async () => {
	const { engine, storage, submit, settled, stop } = await startEngine({ runners: [inquirer()] });
	let passed = 0;
	const ended: ExecutionEntity[] = [];
	const parts: InquiryEndDependencies = {
		storage,
		eventBus: memoryBus().create(),
		clock: clockOf(() => Date.now() * 1_000 + passed),
		logger: silentLogger,
		completionEffects: {
			revokeCredentials: () => [],
			async draft(execution) {
				ended.push(execution);
				return { operations: [], announce: () => undefined, executionPatch: {}, descendantOperations: [] };
			},
		},
	};
	const { signal } = new AbortController();
	const look = () => endExpiredInquiries(parts, signal);
	try {
		const ask = async (ttl: number) => {
			const { id } = await submit({ ttl }, { action: "core.ask" });
			await settled(id, "pending");
			return id;
		};
		const [short, long, endless] = [await ask(5), await ask(60), await ask(0)];
		passed = 5.9 * minutes;
		assert.equal(await look(), 0);
		passed = 6.1 * minutes;
		assert.equal((await look()) + (await look()), 1);
		const timedOut = await settled(short);
		assert.equal(timedOut.status, "timeout");
		assert.equal(timedOut.result?.["ttl"], 5);
		assert.deepEqual(
			ended.map(({ id, status }) => [id, status]),
			[[short, "timeout"]],
		);
		await assert.rejects(engine.inquiries.respond(short, { continue: true }, principal), /timed out and cannot be responded to/);
		passed = 100_000 * minutes;
		const [first, second] = await Promise.all([look(), look()]);
		assert.equal(first + second, 1);
		assert.equal((await settled(long)).status, "timeout");
		assert.equal((await engine.inquiries.get(endless)).ttl, 0);
	} finally {
		await stop();
	}
});

test("a service that is told to ends them by itself", async () => {
	const garbagecollector = { purge_inquiries: true, collection_interval: 0.01 };
	const { storage, submit, settled, stop } = await startEngine({
		runners: [inquirer()],
		options: { garbagecollector },
	});
	try {
		const { id } = await submit({ ttl: 1 }, { action: "core.ask" });
		await settled(id, "pending");
		await storage.update("execution", id, { start_timestamp: "2020-01-01T00:00:00.000000Z" });
		assert.equal((await settled(id)).status, "timeout");
	} finally {
		await stop();
	}
});

test.run();
