import "../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../plugins/storage-knex/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { defineAuthBackend, defineRunner, type SvcConfig } from "../contract/index.ts";
import type { Engine } from "../kernel/engine-api.ts";
import { collectGarbage } from "../testing/collect-garbage.test-support.ts";
import { rounds } from "../testing/extent.test-support.ts";
import { type CreateOptions, createEngine, createService } from "./service.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-embed-"));

test.after(() => rmSync(directory, { recursive: true }));

const config: SvcConfig = {
	storage: memoryStorage(),
	event_bus: memoryBus(),
	runners: [noop()],
	log: { level: "error" },
	auth: { enable: false, listen: false },
	api: { listen: false, port: 0 },
	stream: { listen: false },
	data_dir: directory,
};

/** As `await using` does it. */
async function during<T extends AsyncDisposable>(part: T, body: (part: T) => Promise<void>): Promise<void> {
	try {
		await body(part);
	} finally {
		await part[Symbol.asyncDispose]();
	}
}

/** How many listeners the process has for each event. */
const countListeners = () => Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const openFiles = () => readdirSync("/proc/self/fd").length;

/** What keeps a process alive: timers, sockets, child processes. Those that end by themselves in a moment are waited for. */
async function assertNothingLeft(before: { readonly resources: readonly string[]; readonly files: number }): Promise<void> {
	const deadline = performance.now() + 30_000;
	const left = () => {
		const rest = [...before.resources];
		return process.getActiveResourcesInfo().filter((name) => {
			const index = rest.indexOf(name);
			if (index >= 0) rest.splice(index, 1);
			return index < 0;
		});
	};
	while ((left().length > 0 || openFiles() > before.files) && performance.now() < deadline) {
		// A closed database of libsql keeps its files open until the garbage collector has found its statements.
		collectGarbage();
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	assert.deepEqual(left(), []);
	assert.ok(openFiles() <= before.files, `${openFiles()} open files, ${before.files} before`);
}

const look = () => ({ resources: process.getActiveResourcesInfo(), files: openFiles() });

test("neither engine nor service listens to signals or anything else of the process, also while a command runs", async () => {
	const before = countListeners();
	const engine = createEngine({ ...config, runners: [localCommand()] }, { directory });
	const service = createService({ ...config, api: { port: 0 } }, { directory });
	assert.deepEqual(countListeners(), before);
	await Promise.all([engine.start(), service.start()]);
	for await (const { data } of engine.run("core.local", { cmd: "echo here; read line" }).output) {
		assert.equal(data, "here\n");
		assert.deepEqual(countListeners(), before);
		break;
	}
	await Promise.all([engine.abort(), service.stop()]);
	await engine.stop();
	assert.deepEqual(countListeners(), before);
});

test("await using stops an engine and a service, once, also after a stop and without a start", async () => {
	const told: string[] = [];
	const create = (name: string) =>
		defineRunner(name, () => ({
			...{ description: name, parameters: {}, capabilities: {} },
			stop: async () => void told.push(name),
			run: async () => ({ succeeded: true, result: {} }),
		}))();
	await during(createEngine({ ...config, runners: [create("engine")] }, { directory }), async (engine) => {
		await engine.start();
		await engine.stop();
		assert.deepEqual(told, ["engine"]);
	});
	await during(createService({ ...config, runners: [create("service")] }, { directory }), async (service) => void (await service.start()));
	assert.deepEqual(told, ["engine", "service"]);
	await during(createEngine(config, { directory }), async () => {});
});

test("clock and log of the host are used in the place of the service's own", async () => {
	const lines: string[] = [];
	const note = (message: string) => void lines.push(message);
	let now = Date.UTC(2031, 2, 4) * 1000;
	const options: CreateOptions = {
		directory,
		clock: { now: () => (now += 10) },
		logger: { debug: note, info: note, warn: note, error: note },
	};
	await during(createEngine({ ...config, log: { level: "info" } }, options), async (engine) => {
		await engine.start();
		const { start_timestamp, end_timestamp } = await engine.run("core.noop").ended;
		for (const timestamp of [start_timestamp, end_timestamp]) assert.match(String(timestamp), /^2031-03-04T00:00:0/);
		assert.ok(lines.includes("engine started"));
	});
});

test("the cookie of a browser lasts as long as its token by the host's clock", async () => {
	const backend = defineAuthBackend("site", () => ({ authenticate: async ({ username }) => ({ username }) }));
	const auth = { backend: backend(), listen: false, token_ttl: 3_600 };
	const clock = { now: () => Date.UTC(2031, 2, 4) * 1000 };
	await during(createService({ ...config, auth }, { directory, clock }), async (service) => {
		await service.start();
		const authorization = `Basic ${Buffer.from("ann:a password").toString("base64")}`;
		const granted = await service.fetch(new Request("http://host/auth/v1/tokens", { method: "POST", headers: { authorization } }));
		const { token } = (await granted.json()) as { token: string };
		const answer = await service.fetch(new Request("http://host/api/v1/user", { headers: { "x-auth-token": token } }));
		assert.match(answer.headers.get("set-cookie") ?? "", /^auth-token=\w+; HttpOnly; Max-Age=3600;/);
	});
});

test("engines with different plugins live side by side", async () => {
	const say = (name: string) =>
		defineRunner(name, () => ({
			...{ description: name, parameters: {}, capabilities: { streaming: true } },
			async run({ emit }) {
				await emit("stdout", name);
				return { succeeded: true, result: {} };
			},
		}))();
	const [one, two] = [join(directory, "one"), join(directory, "two")];
	const storage = knexStorage({ client: "sqlite", file: join(directory, "two.db") });
	const alpha = createEngine({ ...config, data_dir: one, runners: [say("alpha")] }, { directory });
	const beta = createEngine({ ...config, data_dir: two, storage, runners: [say("beta")] }, { directory });
	const use = async (engine: Engine, name: string) => {
		await engine.actions.create({ name: "say", runner_type: name });
		const run = engine.run("default.say");
		for await (const { data } of run.output) assert.equal(data, name);
		assert.equal((await run.ended).status, "succeeded");
		assert.equal((await engine.executions.list({ filter: {} })).total, 1);
	};
	await during(alpha, () =>
		during(beta, async () => {
			await Promise.all([alpha.start(), beta.start()]);
			await Promise.all([use(alpha, "alpha"), use(beta, "beta")]);
			await alpha.stop();
			assert.equal((await beta.run("default.say").ended).status, "succeeded");
		}),
	);
});

/** Run an action and look at all of it. */
async function useEngine(number: number): Promise<void> {
	const isWhole = number % 10 === 0;
	const file = join(directory, `${number}.db`);
	const whole = { storage: knexStorage({ client: "sqlite", file }), runners: [noop(), localCommand()] };
	await during(createEngine({ ...config, ...(isWhole && whole) }, { directory }), async (engine) => {
		await engine.start();
		const events = await engine.events.subscribe(["svc.execution__*"], { signal: new AbortController().signal });
		const run = isWhole ? engine.run("core.local", { cmd: "echo here" }) : engine.run("core.noop");
		let text = "";
		for await (const { data } of run.output) text += data;
		assert.equal(text, isWhole ? "here\n" : "");
		assert.equal((await run.ended).status, "succeeded");
		for await (const { view } of events) if (view.entity.status === "succeeded") break;
	});
}

/** The status of an answer. Not by `fetch`, which keeps something for each address it has seen. */
async function ask(url: string): Promise<number | undefined> {
	const [response] = (await once(get(url, { agent: false }), "response")) as [IncomingMessage];
	await once(response.resume(), "close");
	return response.statusCode;
}

/** Ask on a listener and without one, and leave a stream open. */
async function useService(): Promise<void> {
	await during(createService({ ...config, api: { port: 0 } }, { directory }), async (service) => {
		const { addresses } = await service.start();
		assert.equal(await ask(`${addresses.api}/v1/actions`), 200);
		const stream = await service.fetch(new Request("http://host/stream/v1/stream"));
		assert.equal(stream.status, 200);
	});
}

const engines = rounds({ short: 15, full: 30 }, "EMBED_ROUNDS");
const services = Math.floor(engines / 4);

test(`${engines} engines and ${services} services leave nothing behind`, async () => {
	const work = async (engines: number, services: number) => {
		for (let number = 1; number <= engines; number += 1) await useEngine(number);
		for (let number = 1; number <= services; number += 1) await useService();
	};
	// What is loaded and kept once for all of them.
	await work(20, 2);
	const before = look();
	const listeners = countListeners();
	const heap = collectGarbage();
	await work(engines, services);
	assert.deepEqual(countListeners(), listeners);
	await assertNothingLeft(before);
	const growth = collectGarbage() - heap;
	// One engine that is kept is three quarters of a megabyte.
	assert.ok(growth < 8_000_000, `the heap has grown by ${growth} bytes`);
});

test.run();
