import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Meters, type Storage, SvcError, type Telemetry, type TraceEntity } from "../../contract/index.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { EngineStorage } from "../plugins/engine-storage.ts";
import { StorageMetrics } from "./bus-and-storage-metrics.ts";
import { TelemetryHub } from "./telemetry-hub.ts";

const trace: TraceEntity = { id: "0".repeat(24), trace_tag: "a", start_timestamp: "2026-01-01T00:00:00.000000Z", traceparent: null };

/** Keeps what it is told, as `<metric> <labels>`. */
class Notes implements Telemetry {
	readonly description = "";
	readonly kept: string[] = [];

	meters(): Meters {
		const take = ({ name }: { readonly name: string }) => ({
			record: (_value: number, ...labels: readonly string[]) => void this.kept.push([name, ...labels].join(" ")),
		});
		return { counter: take, histogram: take, gauge: () => {} };
	}
}

function observe(storage: Partial<Storage>) {
	const notes = new Notes();
	const errors: string[] = [];
	const hub = new TelemetryHub([notes], { ...silentLogger, error: (message: string) => void errors.push(message) });
	const observed = new EngineStorage({ current: storage as Storage }, { metrics: new StorageMetrics(hub) });
	hub.connectPlugins();
	return { hub, observed, errors, notes: notes.kept };
}

test("whoever asks waits for the storage and nothing else, and goes on when what was stored has been told", async () => {
	const stored = Promise.resolve();
	const { hub, observed, notes } = observe({ insert: () => stored, write: () => stored });
	hub.onStored("trace", (traces) => void notes.push(...traces.map(({ trace_tag }) => `stored ${trace_tag}`)));
	assert.equal(observed.insert("trace", [trace]), stored);
	await observed.write([{ insert: "trace", entities: [{ ...trace, trace_tag: "b" }] }]);
	const took = (method: string) => `svc_storage_statement_duration_seconds ${method}`;
	assert.deepEqual(notes, [took("insert"), "stored a", took("write"), "stored b"]);
});

test("what the storage refuses is counted, is told to nobody as stored, and reaches whoever asked", async () => {
	const refuse = () => Promise.reject(new SvcError("SVC_CONFLICT", "somebody else was faster"));
	const { hub, observed, notes } = observe({ insert: refuse, get: () => Promise.reject(new Error("broken")) });
	hub.onStored("trace", () => void notes.push("stored"));
	await assert.rejects(observed.insert("trace", [trace]), (error) => isSvcError(error, "SVC_CONFLICT"));
	await assert.rejects(observed.get("trace", trace.id), /broken/);
	const counted = notes.filter((note) => !note.startsWith("svc_storage_statement"));
	assert.deepEqual(counted, ["svc_storage_errors_total insert SVC_CONFLICT", "svc_storage_errors_total get other"]);
	assert.equal(notes.length, 4);
});

test("who fails when told touches neither what was stored nor others who are told, and is named once", async () => {
	const { hub, observed, notes, errors } = observe({ insert: async () => {} });
	hub.onStored("trace", () => {
		throw new Error("broken");
	});
	hub.onStored("trace", () => void notes.push("stored"));
	for (let count = 0; count < 2; count += 1) await observed.insert("trace", [trace]);
	assert.deepEqual([notes.filter((note) => note === "stored").length, errors.length], [2, 1]);
});

test.run();
