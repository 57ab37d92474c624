// test-suite: full
// test-timeout: 240
// test-waits
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import { createClient, type ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { rounds } from "../extent.test-support.ts";
import { isFinal } from "./ledger.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

// KILL_ROUNDS says how often the service is killed at a random moment, KILL_SEED repeats what a failed test has tried.
const kills = rounds({ short: 1, full: 3 });
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const lines = 150;
const text = (word: string) => Array.from({ length: lines }, (_, index) => `${word} ${index}\n`).join("");
/** Takes some three seconds. A process for a pause after each line would take more of the processor than all that reads the lines. */
const printing = `i=0; while [ $i -lt ${lines} ]; do echo line $i; echo ä€🙂 $i >&2; i=$((i+1)); [ $((i%3)) -gt 0 ] || sleep 0.06; done; exit 3`;

const test = suite("commands and the end of their service");
let directory = "";
/** The service that was started last; a test takes over the one that the test before it has left running. */
let service: ServiceProcess | undefined;

async function start(survive = true): Promise<ServiceProcess> {
	service = await startServiceProcess({ directory, survive, ...(service !== undefined && { token: service.token }) });
	return service;
}

async function run({ client }: ServiceProcess, cmd: string): Promise<string> {
	return (await client.executions.create({ action: "core.local", parameters: { cmd } })).id;
}

function settled({ client }: ServiceProcess, id: string): Promise<ExecutionRecord> {
	return until("the execution is final", 30, async () => {
		const record = await client.executions.get(id);
		return isFinal(record) ? record : undefined;
	});
}

/** Waits until the output of the execution holds so many lines. */
async function printed({ client }: ServiceProcess, id: string, count: number): Promise<void> {
	await until(`${count} lines are printed`, 20, async () => {
		const output = await client.executions.output(id, { type: "stdout" });
		return output.split("\n").length > count || undefined;
	});
}

test.before(async () => {
	directory = await mkdtemp(join(tmpdir(), "svc-survive-"));
});

// The runner removes the directory of a run a little after the end of the run is stored.
test.after.each(async () => {
	await until("what the runs kept is gone", 10, async () => (await listRuns()).length === 0 || undefined);
});

test.after(async () => {
	await service?.kill();
	endLeftovers(directory);
	await rm(directory, { recursive: true, force: true });
});

/** Directories of runs that are over must be gone. */
async function listRuns(): Promise<string[]> {
	const runs = join(directory, "data/runs/local-shell-cmd");
	return existsSync(runs) ? readdir(runs) : [];
}

async function assertWhole({ client }: ServiceProcess, record: ExecutionRecord): Promise<void> {
	assert.equal(record.status, "failed");
	assert.equal(record.result?.["return_code"], 3);
	for (const [type, word] of [
		["stdout", "line"],
		["stderr", "ä€🙂"],
	] as const) {
		assert.equal(record.result?.[type], text(word).trimEnd());
		assert.equal(await client.executions.output(record.id, { type }), text(word));
	}
	assert.deepEqual(
		record.log.map(({ status }) => status),
		["requested", "scheduled", "running", "failed"],
	);
}

test("commands outlive a killed service: output has no gap and no repeat, and what ended meanwhile is told with its exit code", async () => {
	const first = await start();
	const done = join(directory, "done");
	const ending = await run(first, `echo begun; touch '${directory}/begun'; sleep 0.5; echo over; touch '${done}'; exit 7`);
	const id = await run(first, printing);
	await until("the shorter one has begun", 10, () => existsSync(join(directory, "begun")) || undefined);
	await printed(first, id, 20);
	await first.kill();
	await until("the shorter one is over", 10, () => existsSync(done) || undefined);
	const second = await start();
	const { status, result } = await settled(second, ending);
	assert.deepEqual([status, result?.["return_code"], result?.["stdout"]], ["failed", 7, "begun\nover"]);
	await assertWhole(second, await settled(second, id));
});

test("a service that is stopped leaves commands and their tokens alone", async () => {
	const first = service as ServiceProcess;
	const file = join(directory, "token");
	const id = await run(
		first,
		`echo "$SVC_ACTION_AUTH_TOKEN" >'${file}.new'; mv '${file}.new' '${file}'; while [ ! -e '${file}.used' ]; do sleep 0.1; done; echo over`,
	);
	await until("the command has begun", 10, () => existsSync(file) || undefined);
	assert.equal(await first.stop(), 0);
	const second = await start();
	const token = (await readFile(file, "utf8")).trim();
	const own = createClient({ apiUrl: `${second.api}/v1`, token });
	assert.equal((await own.executions.get(id)).status, "running");
	await writeFile(`${file}.used`, "");
	assert.equal((await settled(second, id)).status, "succeeded");
	await assert.rejects(own.executions.get(id), /Unauthorized/);
});

test(`after ${kills} kills at random moments, also while commands are looked for, no output has a gap or a repeat, and a command can be canceled with all it started`, async () => {
	const random = createRandom(seed);
	let running = service as ServiceProcess;
	const endless = await run(running, "trap '' TERM; sleep 300 & (setsid sleep 300 & sleep 300) & echo ready; wait");
	await printed(running, endless, 1);
	const ids: string[] = [];
	for (let count = 0; count < 5; count += 1) ids.push(await run(running, printing));
	for (let round = 0; round < kills; round += 1) {
		await delay(random(300));
		await running.kill();
		running = await start();
	}
	await running.client.executions.cancel(endless);
	assert.equal((await settled(running, endless)).status, "canceled");
	for (const id of ids) {
		const record = await settled(running, id);
		// One that the first kill met between its state and its start never began.
		if (record.status !== "abandoned") await assertWhole(running, record);
		else assert.equal(await running.client.executions.output(id), "", `KILL_SEED=${seed}`);
	}
	assert.equal(await running.stop(), 0);
	await nothingLeft(directory, 5);
	// A kill between an end and what follows it leaves a directory until the sweep, which comes at once where no run may go on.
	await start(false);
});

test("without survive_restart it ends abandoned, and nothing of it is left", async () => {
	const first = service as ServiceProcess;
	const id = await run(first, printing);
	await printed(first, id, 20);
	await first.kill();
	await nothingLeft(directory, 5);
	const second = await start(false);
	const { status } = await settled(second, id);
	assert.equal(status, "abandoned");
	const output = await second.client.executions.output(id, { type: "stdout" });
	assert.ok(text("line").startsWith(output) && output !== text("line"));
});

test.run();
