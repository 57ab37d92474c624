// test-suite: full
// test-timeout: 360
// test-waits
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { inFull } from "../extent.test-support.ts";
import { createTestDatabase, postgresTest } from "../services/postgres.test-support.ts";
import { type CuttingProxy, startCuttingProxy } from "../web/cutting-proxy.test-support.ts";
import { isFinal } from "./ledger.test-support.ts";
import { findByEnvironment } from "./processes.test-support.ts";
import { endLeftovers, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { connected, createWorkerKey, startWorkerProcess, type WorkerProcess, workerOptions } from "./worker-process.test-support.ts";

const test = suite("workers");
let directory = "";
let service: ServiceProcess;
let line: CuttingProxy;
let key = "";
const workers: WorkerProcess[] = [];

const greet = `#!/bin/sh
echo "hello $1 from $0: $(cat "$(dirname "$0")/lib/word")"
`;
const action = {
	name: "greet",
	runner_type: "local-shell-script",
	entry_point: "greet.sh",
	parameters: { name: { type: "string", position: 0 }, svc_worker_labels: { default: ["site-a"], immutable: true } },
};

const files = ({ lease } = { lease: 8 }) => ({
	directory,
	environment: { ...workerOptions, SVC_WORKERS_LEASE: String(lease) },
	runners: { "local-script": "localScript()" },
	packs: join(directory, "packs"),
});

async function writePack(): Promise<void> {
	const actions = join(directory, "packs/far/actions");
	await mkdir(join(actions, "lib"), { recursive: true });
	await writeFile(
		join(directory, "packs/far/pack.yaml"),
		JSON.stringify({ ...{ ref: "far", name: "far", version: "1.0.0" }, description: "Far.", author: "Ada" }),
	);
	await writeFile(join(actions, "greet.yaml"), JSON.stringify(action));
	await writeFile(join(actions, "greet.sh"), greet, { mode: 0o755 });
	await writeFile(join(actions, "lib/word"), "beside");
}

test.before(async () => {
	directory = await mkdtemp(join(tmpdir(), "svc-worker-"));
	await writePack();
	// Time for a slow machine to start the service once more.
	service = await startServiceProcess(files({ lease: 60 }));
	line = await startCuttingProxy(service.api);
	key = await createWorkerKey(service);
});

test.after(async () => {
	for (const worker of workers) await worker.kill();
	await line.close();
	await service.kill();
	endLeftovers(directory);
	await rm(directory, { recursive: true, force: true });
});

function start(name: string, labels: string, given: { readonly places?: number } = {}): WorkerProcess {
	const worker = startWorkerProcess({ directory, name, labels, url: line.url, key, ...given });
	workers.push(worker);
	return worker;
}

async function run(cmd: string, labels: readonly string[], parameters: object = {}): Promise<string> {
	return (await service.client.executions.create({ action: "core.local", parameters: { cmd, svc_worker_labels: labels, ...parameters } }))
		.id;
}

function ended(id: string, seconds = 30): Promise<ExecutionRecord> {
	return endedAt(service, id, seconds);
}

function endedAt({ client }: ServiceProcess, id: string, seconds = 60): Promise<ExecutionRecord> {
	return until(`execution ${id} is final`, seconds, async () => {
		const record = await client.executions.get(id);
		return isFinal(record) ? record : undefined;
	});
}

/** What the execution shows of where it is. */
async function shown(id: string): Promise<Readonly<Record<string, unknown>>> {
	const { liveaction } = await service.client.executions.get(id);
	return (liveaction as { readonly runner_info?: Readonly<Record<string, unknown>> }).runner_info ?? {};
}

/** Until the command of an execution has made a file, which it does as `touch` says. */
const made = (file: string) => until(`${file} is made`, 30, () => existsSync(join(directory, file)) || undefined);
const touch = (file: string) => `touch ${join(directory, file)}`;

/** Prints lines, each in so many seconds. Five lines share a pause: a process for each line takes much of the processor. */
const toLines = (lines: number, seconds: number) =>
	`i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); [ $((i%5)) -gt 0 ] || sleep ${(seconds * 5).toFixed(3)}; done`;

/** Until no process of a command is left that says so in its words. */
function gone(word: string): Promise<true> {
	return until(`nothing of ${word} is left`, 30, () => findByEnvironment(`WORD=${word}\0`).length === 0 || undefined);
}

/** Cut the line again and again, but not for ever: what takes longer between two cuts would never get through on a slow machine. */
function cutEvery(milliseconds: number): { end(): void } {
	let left = 20;
	const timer = setInterval(() => (left-- > 0 ? line.cut() : clearInterval(timer)), milliseconds);
	return { end: () => clearInterval(timer) };
}

test("a worker carries out what needs its labels, with output and exit code", async () => {
	start("one", "blue,site-a");
	await connected(service, "one");
	const id = await run("echo here; echo to stderr >&2; exit 3", ["blue"]);
	const record = await ended(id);
	assert.equal(record.status, "failed", JSON.stringify(record));
	assert.equal(record.result?.["return_code"], 3);
	assert.equal(record.result?.["stdout"], "here");
	assert.equal(record.result?.["stderr"], "to stderr");
	assert.equal(await service.client.executions.output(id, { type: "stdout" }), "here\n");
	assert.equal((await shown(id))["worker"], "one");
});

test("a script of a pack comes to the worker with its parameters", async () => {
	const record = await ended((await service.client.executions.create({ action: "far.greet", parameters: { name: "Ada" } })).id);
	assert.equal(record.status, "succeeded", JSON.stringify(record));
	assert.match(String(record.result?.["stdout"]), /^hello Ada from .*\/worker-one\/packs\/far\/[0-9a-f]{64}\/actions\/greet\.sh: beside$/);
});

test("what no worker has the labels for waits, says so, and ends by cancel and time-out", async () => {
	const [waiting, late] = [await run("true", ["blue", "absent"]), await run("true", ["absent"], { timeout: 1 })];
	const waits = await until("it says what it waits for", 20, async () => (await shown(waiting))["waits_for"]);
	assert.equal(waits, "no worker has the labels absent, blue and the runner local-shell-cmd");
	assert.equal((await ended(late)).status, "timeout");
	await service.client.executions.cancel(waiting);
	assert.equal((await ended(waiting)).status, "canceled");
});

test("cancel and time-out end the processes on the worker", async () => {
	const canceled = await run(`${touch("a")}; WORD=canceled sleep 60`, ["blue"]);
	const late = await run(`${touch("b")}; WORD=late sleep 60`, ["blue"], { timeout: 2 });
	await made("a");
	await service.client.executions.cancel(canceled);
	assert.equal((await ended(canceled)).status, "canceled");
	assert.equal((await ended(late)).status, "timeout");
	await Promise.all([gone("canceled"), gone("late")]);
});

test("a line that is cut again and again loses nothing and repeats nothing", async () => {
	const lines = 200;
	const id = await run(toLines(lines, 0.005), ["blue"]);
	const cutting = cutEvery(150);
	try {
		assert.equal((await ended(id)).status, "succeeded");
	} finally {
		cutting.end();
	}
	const text = Array.from({ length: lines }, (_, index) => `line ${index}\n`).join("");
	assert.equal(await service.client.executions.output(id, { type: "stdout" }), text);
});

inFull(test)("a flood whose line is cut in its midst arrives once, and waits in no memory", async () => {
	const last = 100_000;
	const id = await run(`seq 1 ${last}`, ["blue"]);
	const read = () => service.client.executions.output(id, { type: "stdout" });
	await until("some of it is stored", 30, async () => (await read()) !== "" || undefined);
	const cutting = cutEvery(250);
	try {
		assert.equal((await ended(id, 90)).status, "succeeded");
	} finally {
		cutting.end();
	}
	const text = await read();
	let expected = "";
	for (let number = 1; number <= last; number += 1) expected += `${number}\n`;
	assert.equal(text.length, expected.length);
	assert.ok(text === expected, "nothing is missing, and nothing came twice");
});

test("a run goes on while the service is restarted, and its output has no gap and no repeat", async () => {
	const lines = 200;
	const id = await run(`${touch("c")}; ${toLines(lines, 0.01)}`, ["blue"]);
	await made("c");
	await until("some of it is stored", 20, async () => (await service.client.executions.output(id)) !== "" || undefined);
	await service.kill();
	service = await startServiceProcess({ ...files(), token: service.token });
	line.aim(service.api);
	const record = await ended(id);
	assert.equal(record.status, "succeeded", JSON.stringify(record));
	const text = Array.from({ length: lines }, (_, index) => `line ${index}\n`).join("");
	assert.equal(await service.client.executions.output(id, { type: "stdout" }), text);
	assert.equal(record.result?.["stdout"], text.trimEnd());
});

test("runs of a worker that is cut off and of a killed one end abandoned with nothing left, and a policy has one run again", async () => {
	const worker = start("mortal", "mortal");
	await addMortal();
	const id = await run(`${touch("e")}; trap 'touch ${join(directory, "ended")}; exit 1' TERM; WORD=cut sleep 60 & wait`, ["blue"]);
	const mortal = (await service.client.executions.create({ action: "default.mortal" })).id;
	await made("e");
	await made("d");
	await writeFile(join(directory, "again"), "");
	await worker.kill();
	line.aim("http://127.0.0.1:1");
	line.cut();
	try {
		const record = await ended(id);
		assert.equal(record.status, "abandoned", JSON.stringify(record));
		assert.ok(existsSync(join(directory, "ended")), "its process was told to end before");
		assert.equal(findByEnvironment("WORD=cut\0").length, 0);
	} finally {
		line.aim(service.api);
	}
	assert.equal((await ended(await run("true", ["blue"]))).status, "succeeded", "it takes work again");
	const record = await ended(mortal);
	assert.equal(record.status, "abandoned", JSON.stringify(record));
	assert.equal(record.result?.["error"], 'the worker "mortal" that ran the action stopped');
	await gone("orphan");
	start("heir", "mortal");
	const second = await until("it is run again", 20, async () => {
		const { items } = await service.client.executions.list({ action: "default.mortal" });
		return items.find((one) => one.id !== mortal);
	});
	assert.equal((await ended(second.id)).status, "succeeded");
});

/** Adds an action for the worker "mortal" that is run again if it is lost, and then ends at once. */
async function addMortal(): Promise<void> {
	const cmd = `${touch("d")}; test -e ${join(directory, "again")} || WORD=orphan sleep 60`;
	const parameters = { cmd: { default: cmd, immutable: true }, svc_worker_labels: { default: ["mortal"], immutable: true } };
	const headers = { "x-auth-token": service.token, "content-type": "application/json" };
	const body = JSON.stringify({ name: "mortal", runner_type: "local-shell-cmd", parameters });
	assert.equal((await fetch(`${service.api}/v1/actions`, { method: "POST", headers, body })).status, 201);
	await service.client.policies.create({
		...{ name: "again", pack: "default", resource_ref: "default.mortal", policy_type: "action.crash" },
		parameters: { action: "retry", max_retry_count: 1 },
	});
}

test("a key that may not take work for the label takes nothing", async () => {
	const worker = startWorkerProcess({
		...{ directory, name: "stranger", labels: "blue", url: line.url },
		key: await createWorkerKey(service, ["worker:green"]),
	});
	workers.push(worker);
	assert.notEqual(await worker.exited, 0);
	assert.match(worker.log(), /does not have the permission "worker_take" on "worker:blue"/);
});

test("a worker that is told to stop lets its run come to its end, and takes nothing new", async () => {
	const [worker] = workers as [WorkerProcess];
	const id = await run(`${touch("f")}; while [ ! -e ${join(directory, "go")} ]; do sleep 0.1; done; echo done`, ["blue"]);
	await made("f");
	worker.signal("SIGTERM");
	await connected(service, "one", "draining");
	const later = await run("true", ["blue"]);
	await until("the later one waits", 20, async () => (await shown(later))["waits_for"]);
	await writeFile(join(directory, "go"), "");
	assert.equal(await worker.exited, 0, worker.log());
	assert.equal((await ended(id)).result?.["stdout"], "done");
	await service.client.executions.cancel(later);
});

inFull(postgresTest(test))(
	"a worker whose proxy turns from one service to another on the same records loses nothing and repeats nothing",
	async () => {
		const database = await createTestDatabase();
		const [ledger, stop] = [join(directory, "turns"), join(directory, "turned")];
		const services: ServiceProcess[] = [];
		let proxy: CuttingProxy | undefined;
		const begin = async (name: string, token?: string) => {
			await mkdir(join(directory, name));
			const shared = { SVC_WORKERS_LEASE: "60", SVC_KEYVALUE_ENCRYPTION_KEY_PATH: join(directory, "shared-key.json") };
			const place = { directory: join(directory, name), postgres: database.url, ...(token !== undefined && { token }) };
			const started = await startServiceProcess({ ...place, environment: { ...workerOptions, ...shared } });
			services.push(started);
			return started;
		};
		try {
			const first = await begin("first");
			const second = await begin("second", first.token);
			proxy = await startCuttingProxy(first.api);
			const given = { directory: join(directory, "first"), name: "turned", labels: "turn", url: proxy.url };
			workers.push(startWorkerProcess({ ...given, key: await createWorkerKey(first) }));
			await connected(second, "turned");
			const create = async ({ client }: ServiceProcess, cmd: string) =>
				(await client.executions.create({ action: "core.local", parameters: { cmd, svc_worker_labels: ["turn"] } })).id;
			const read = (id: string) => second.client.executions.output(id, { type: "stdout" });
			const count = (number: number) =>
				`echo ${number} >> ${ledger}; i=0; while [ ! -e ${stop} ]; do echo line $i; i=$((i+1)); sleep 0.1; done; echo end $i`;
			// Whichever of the two holds an execution.
			const ids = await Promise.all([first, second].map((service, index) => create(service, count(index))));
			const printed = async () => Promise.all(ids.map(async (id) => (await read(id)).length));
			for (const turned of [second, first]) {
				const before = await printed();
				proxy.aim(turned.api);
				proxy.cut();
				await until(
					"more of each has come",
					60,
					async () => (await printed()).every((size, index) => size > (before[index] ?? 0)) || undefined,
				);
				// Started where the worker does not ask just now.
				const { status, result } = await endedAt(second, await create(turned === first ? second : first, "echo done"));
				assert.equal(status, "succeeded", JSON.stringify(result));
			}
			// The third turn, and the last: the first service goes away with all that it was about.
			proxy.aim(second.api);
			proxy.cut();
			await first.kill();
			await writeFile(stop, "");
			for (const id of ids) {
				const { status, result } = await endedAt(second, id);
				assert.equal(status, "succeeded", JSON.stringify(result));
				const text = await read(id);
				const lines = Number(/end (\d+)\n$/.exec(text)?.[1]);
				assert.equal(text, `${Array.from({ length: lines }, (_, index) => `line ${index}\n`).join("")}end ${lines}\n`);
			}
			assert.deepEqual((await readFile(ledger, "utf8")).trim().split("\n").sort(), ["0", "1"], "each has run once");
		} finally {
			await proxy?.close();
			for (const one of services) await one.kill();
			await database.drop();
		}
	},
);

test.run();
