// test-timeout: 900
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { digestAnswer, digestEvents, digestOf, open, toFlood } from "./flood.test-support.ts";
import { isFinal } from "./ledger.test-support.ts";
import { readPeak, resetPeak } from "./processes.test-support.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const megabyte = 1_048_576;
/** MiB. On a slow machine a service grows by up to 100: it writes faster than its garbage is collected. */
const mostGrowth = 128;
// FLOOD_MEGABYTES says how much one run writes. It is twice what the service may grow by, so that a service that keeps the whole output for a
// single client fails; 1,024 where time does not matter.
const size = Number(process.env["FLOOD_MEGABYTES"] ?? 2 * mostGrowth) * megabyte;
/** Long enough for the service to have taken as much memory as it takes for output. */
const firstSize = 64 * megabyte;
const stalledClients = 10;
/** `actionrunner.max_result_output`, which the service is left to choose. */
const keptInResult = megabyte;

/** A service in its own process, and its first run, whose output no client follows. */
async function withService(body: (service: ServiceProcess, first: Run) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-flood-"));
	const service = await startServiceProcess({ directory });
	try {
		// Between two collections the heap swings by as much as the bound, so highest is compared with highest.
		await body(service, await run(service, firstSize));
	} finally {
		await service.kill();
		await rm(directory, { recursive: true, force: true });
	}
}

interface Run {
	readonly record: ExecutionRecord;
	readonly seconds: number;
	/** Bytes of memory that the service took at most. */
	readonly peak: number;
}

/** A run that writes `bytes`; `onCreated` is called while it goes on. */
async function run(service: ServiceProcess, bytes: number, onCreated: (id: string) => Promise<void> = async () => {}): Promise<Run> {
	resetPeak(service.pid);
	const { id } = await service.client.executions.create({ action: "core.local", parameters: { cmd: toFlood(bytes), timeout: 600 } });
	await onCreated(id);
	const record = await until("the run has ended", 600, async () => {
		const { status } = await service.client.executions.get(id, { query: { include_attributes: "status" } });
		return isFinal({ status }) ? service.client.executions.get(id) : undefined;
	});
	return { record, seconds: record.elapsed_seconds ?? 0, peak: readPeak(service.pid) };
}

function assertCut({ record }: Run, bytes: number): void {
	assert.equal(record.status, "succeeded");
	assert.equal(String(record.result?.["stdout"]).length, keptInResult);
	assert.deepEqual(record.result?.["truncated"], { stdout: bytes });
}

function assertBounded(what: string, peak: number, before: number): void {
	const growth = Math.round((peak - before) / megabyte);
	process.stdout.write(`${what}: memory ${growth} MiB beyond the ${Math.round(before / megabyte)} MiB of the first run\n`);
	assert.ok(growth <= mostGrowth, `${what}: the server grew by ${growth} MiB`);
}

function report(what: string, { seconds }: Run, bytes: number): void {
	process.stdout.write(`${what}: ${seconds.toFixed(1)} s, ${Math.round(bytes / megabyte / seconds)} MiB/s\n`);
}

const toUrl = ({ api }: ServiceProcess, id: string, component: "api" | "stream") => `${api}/${component}/v1/executions/${id}/output`;
const toHeaders = ({ token }: ServiceProcess) => ({ "x-auth-token": token });

test(`${size / megabyte} MiB from one run, which clients that stop reading hold up no more than the server's memory, arrive whole`, () =>
	withService(async (service, first) => {
		const stalled: IncomingMessage[] = [];
		const flood = await run(service, size, async (id) => {
			const url = toUrl(service, id, "stream");
			for (let count = 0; count < stalledClients; count += 1) stalled.push(await open(url, toHeaders(service)));
		});
		report("alone", first, firstSize);
		report("with clients that do not read", flood, size);
		assertCut(flood, size);
		assertBounded("with clients that do not read", flood.peak, first.peak);
		const alone = first.seconds * (size / firstSize);
		// Two cores that others use as well allow no finer measure.
		assert.ok(flood.seconds <= alone * 1.5 + 2, `the run took ${flood.seconds} s instead of ${alone} s`);
		const [late, ...others] = stalled as [IncomingMessage, ...IncomingMessage[]];
		for (const response of others) response.destroy();
		resetPeak(service.pid);
		const written = await digestOf(toFlood(size));
		assert.deepEqual(await digestEvents(late), written);
		assertBounded("sending it late", readPeak(service.pid), first.peak);
		resetPeak(service.pid);
		assert.deepEqual(await digestAnswer(toUrl(service, flood.record.id, "api"), toHeaders(service)), written);
		assertBounded("sending all that is stored", readPeak(service.pid), first.peak);
	}));

test.run();
