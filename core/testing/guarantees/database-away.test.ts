import "../http/answers-hook.test-support.ts";
// test-timeout: 240
// test-suite: full
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as uvu from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { createService, type Service } from "../../service/service.ts";
import { findFreePort } from "../services/free-port.test-support.ts";
import { type PostgresServer, postgresTest, startPostgres } from "../services/postgres.test-support.ts";
import { until } from "./until.test-support.ts";

const test = postgresTest(uvu.test);
const directory = mkdtempSync(join(tmpdir(), "svc-away-"));
let server: PostgresServer | undefined;
let service: Service | undefined;
let api = "";

/** A server of its own, and a service that works on tables that are there already. */
async function setUp(): Promise<{ readonly server: PostgresServer; readonly service: Service }> {
	server = await startPostgres();
	const { url } = await server.createDatabase();
	const port = await findFreePort();
	const create = () =>
		createService(
			{
				storage: knexStorage({ client: "postgres", url }),
				event_bus: memoryBus(),
				runners: [localCommand(), noop()],
				auth: { enable: false, listen: false },
				api: { port },
				stream: { listen: false },
				actionrunner: { graceful_shutdown: false },
				log: { level: "error" },
				data_dir: directory,
			},
			{ directory },
		);
	const first = create();
	await first.start();
	await first.stop();
	service = create();
	api = `http://127.0.0.1:${port}`;
	return { server, service };
}

uvu.test.after(async () => {
	await service?.stop();
	await server?.stop();
	rmSync(directory, { recursive: true, force: true });
});

/** Undefined while nobody listens. */
async function ask(url: string, init?: RequestInit) {
	const response = await fetch(url, init).catch(() => undefined);
	if (response === undefined) return undefined;
	const body = (await response.json()) as Record<string, unknown>;
	return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
}

const run = (api: string, action: string, parameters = {}) =>
	ask(`${api}/v1/executions`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ action, parameters }),
	});

const becomes = (api: string, id: unknown, status: string, seconds: number) =>
	until(
		`the execution is ${status}`,
		seconds,
		async () => (await ask(`${api}/v1/executions/${id}`))?.body["status"] === status || undefined,
	);

test("a database that is away at start: listeners answer 503, and the service starts by itself within five seconds of its return", async () => {
	const { server, service } = await setUp();
	await server.halt();
	const starting = service.start();
	await until("it lives", 10, async () => (await ask(`${api}/health/live`))?.status === 200 || undefined);
	const ready = await ask(`${api}/health/ready`);
	assert.deepEqual(ready, {
		status: 503,
		retryAfter: "1",
		body: { ready: false, reasons: ["starting"], faultstring: "not ready: starting" },
	});
	const refused = await run(api, "core.noop");
	assert.deepEqual([refused?.status, refused?.retryAfter], [503, "1"]);
	await new Promise((resolve) => setTimeout(resolve, 1_500));
	await server.resume();
	const back = performance.now();
	await starting;
	assert.ok(performance.now() - back < 5_000, "it has started within five seconds");
	assert.equal((await ask(`${api}/health/ready`))?.status, 200);
	await becomes(api, (await run(api, "core.noop"))?.body["id"], "succeeded", 5);
});

test("a database that goes away later: 503 with Retry-After, runs go on, and everything picks up by itself within five seconds", async () => {
	assert.ok(server !== undefined, "the test above has started the service");
	const long = await run(api, "core.local", { cmd: "for i in $(seq 1 60); do echo $i; sleep 0.2; done" });
	await becomes(api, long?.body["id"], "running", 10);
	for (const how of ["fast", "kill"] as const) {
		await server.halt(how);
		await until("requests are refused", 10, async () => {
			const refused = await run(api, "core.noop");
			return (refused?.status === 503 && refused.retryAfter !== null) || undefined;
		});
		await until("it is not ready", 10, async () => {
			const reasons = (await ask(`${api}/health/ready`))?.body["reasons"];
			return JSON.stringify(reasons) === '["storage"]' || undefined;
		});
		assert.equal((await ask(`${api}/health/live`))?.status, 200);
		await server.resume();
		const back = performance.now();
		await until("it is ready", 5, async () => (await ask(`${api}/health/ready`))?.status === 200 || undefined);
		const done = await run(api, "core.noop");
		await becomes(api, done?.body["id"], "succeeded", 5);
		assert.ok(performance.now() - back < 5_000, "executions run again within five seconds");
	}
	await becomes(api, long?.body["id"], "succeeded", 60);
	const output = await fetch(`${api}/v1/executions/${long?.body["id"]}/output`);
	assert.equal(await output.text(), Array.from({ length: 60 }, (_, index) => `${index + 1}\n`).join(""));
});

test("a service that waits for its database obeys TERM, with exit code 0", async () => {
	const directory = mkdtempSync(join(tmpdir(), "svc-away-"));
	const built = new URL("../../../dist/", import.meta.url);
	const [port, closed] = [await findFreePort(), await findFreePort()];
	const load = (file: string) => JSON.stringify(new URL(`${file}/index.js`, built).href);
	const config = `import { memoryBus } from ${load("plugins/event-bus-memory")};
import { knexStorage } from ${load("plugins/storage-knex")};
export default {
	storage: knexStorage({ client: "postgres", url: "postgres://svc:secret@127.0.0.1:${closed}/svc" }),
	event_bus: memoryBus(), runners: [], auth: { enable: false, listen: false }, api: { port: ${port} }, stream: { listen: false },
};`;
	writeFileSync(join(directory, "svc.config.mjs"), config);
	const main = fileURLToPath(new URL("plugins/_shipped/main.js", built));
	const child = spawn(process.execPath, [main, "serve", "--config", join(directory, "svc.config.mjs")], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let printed = "";
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => void (printed += String(bytes)));
	const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
	try {
		await until("it lives", 20, async () => (await ask(`http://127.0.0.1:${port}/health/live`))?.status === 200 || undefined);
		await until("it says what it waits for", 10, () => printed.includes("storage is unavailable; the start is retried") || undefined);
		const asked = performance.now();
		child.kill("SIGTERM");
		assert.equal(await exited, 0, printed);
		assert.ok(performance.now() - asked < 5_000);
		assert.ok(!printed.includes("secret"));
	} finally {
		child.kill("SIGKILL");
		rmSync(directory, { recursive: true, force: true });
	}
});

uvu.test.run();
