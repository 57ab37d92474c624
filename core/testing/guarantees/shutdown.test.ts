// test-timeout: 240
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const count = 20;
/** Room for all of them at once. */
const environment = { SVC_ACTIONRUNNER_ACTIONS_POOL_SIZE: String(count) };

const test = suite("the end of a service");
const directory = mkdtempSync(join(tmpdir(), "svc-shutdown-"));
/** The service that was started last. */
let service: ServiceProcess | undefined;

async function start(): Promise<ServiceProcess> {
	service = await startServiceProcess({ directory, environment, ...(service !== undefined && { token: service.token }) });
	return service;
}

test.after(async () => {
	await service?.kill();
	endLeftovers(directory);
	rmSync(directory, { recursive: true, force: true });
});

/** Start so many runs of a command; resolves when all of them run. */
async function startRuns({ client }: ServiceProcess, cmd: string): Promise<void> {
	const input = { action: "core.local", parameters: { cmd } };
	await Promise.all(Array.from({ length: count }, () => client.executions.create(input)));
	await until("all of them run", 60, async () => (await countOf({ client }, "running")) === count || undefined);
}

const countOf = async ({ client }: Pick<ServiceProcess, "client">, status: string) =>
	(await client.executions.list({ status, limit: 1 })).total ?? 0;

const isReady = async ({ api }: ServiceProcess) => (await fetch(`${api}/health/ready`)).status === 200;

test(`TERM with ${count} runs: not ready and nothing begun from that moment, all of them come to their end, exit code 0`, async () => {
	const service = await start();
	const go = join(directory, "go");
	execFileSync("mkfifo", [go]);
	const pipe = await open(go, "r+");
	// Each waits for a line of its own, and takes no time of the processor meanwhile.
	await startRuns(service, `read -r line < '${go}'; true`);
	assert.equal(await isReady(service), true);
	service.terminate();
	await until("it is not ready", 2, async () => !(await isReady(service)) || undefined);
	const late = await service.client.executions.create({ action: "core.noop" });
	await new Promise((resolve) => setTimeout(resolve, 1_000));
	assert.equal((await service.client.executions.get(late.id)).status, "requested");
	assert.equal(await countOf(service, "running"), count, "they have their grace");
	await pipe.write("\n".repeat(count));
	assert.equal(await service.exited, 0);
	await pipe.close();
	const next = await start();
	await until("what came late is run by the next", 20, async () => (await countOf(next, "succeeded")) === count + 1 || undefined);
});

test(`a second TERM ends ${count} runs abandoned and the process within two seconds, and leaves no process behind`, async () => {
	const stopped = service as ServiceProcess;
	// They do not listen to a polite request to end.
	await startRuns(stopped, "trap '' TERM; sleep 300; true");
	stopped.terminate();
	await new Promise((resolve) => setTimeout(resolve, 700));
	const forced = performance.now();
	stopped.terminate();
	assert.equal(await stopped.exited, 1);
	const took = performance.now() - forced;
	assert.ok(took < 2_500, `it took ${Math.round(took)} ms`);
	await nothingLeft(directory, 15);
	const next = await start();
	await until("all of them are abandoned", 20, async () => (await countOf(next, "abandoned")) === count || undefined);
	assert.equal(await next.stop(), 0);
});

test.run();
