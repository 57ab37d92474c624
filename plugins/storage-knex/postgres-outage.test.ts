// test-suite: full
// test-timeout: 240
// test-waits
import * as assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { test } from "uvu";
import { isSvcError, type Storage } from "../../core/contract/index.ts";
import { type PostgresServer, postgresTest, startPostgres, type TestDatabase } from "../../core/testing/services/postgres.test-support.ts";
import { createExecution, createTrace } from "../../core/testing/storage/fixtures.ts";
import { administer, refused, startPostgresStorage } from "./postgres-database.test-support.ts";
import { endConnections, holdLock, resumeServerProcesses, stopServerProcesses } from "./postgres-faults.test-support.ts";
import { type PostgresProxy, startProxy } from "./postgres-proxy.test-support.ts";

const outageTest = postgresTest(test);

interface Scope {
	readonly server: PostgresServer;
	readonly database: TestDatabase;
	readonly proxy: PostgresProxy;
	readonly storage: Storage;
}

let server: PostgresServer | undefined;
/** Name of a database with the tables of a storage. */
let template = "";

async function startServer(): Promise<PostgresServer> {
	const started = await startPostgres();
	const { url } = await started.createDatabase();
	await (await startPostgresStorage({ url })).stop?.();
	template = new URL(url).pathname.slice(1);
	return started;
}

/** A storage that reaches its own database through a proxy, on a server that these tests may stop. */
const withScope = (run: (scope: Scope) => Promise<void>) => async () => {
	server ??= await startServer();
	await server.resume();
	const database = await server.createDatabase(template);
	const proxy = await startProxy(database.url);
	const storage = await startPostgresStorage({ url: proxy.url, pool_size: 4 });
	try {
		await run({ server, database, proxy, storage });
	} finally {
		await storage.stop?.();
		await proxy.stop();
		await server.resume();
		await database.drop();
	}
};

test.after(() => server?.stop());

/** Every call of a storage, none of which may hang or throw something else. */
function callAll(storage: Storage): Promise<unknown>[] {
	return [
		storage.get("trace", "none"),
		storage.find("execution", { limit: 5 }),
		storage.count("trace", {}),
		storage.distinct("execution", "status"),
		storage.insert("trace", [createTrace("one")]),
		storage.insert("trace", [createTrace("two"), createTrace("three")]),
		storage.update("execution", "none", { status: "failed" }),
		storage.claim("execution", { where: { status: "requested" }, limit: 5 }, { status: "scheduled" }),
		storage.remove("trace", { where: { trace_tag: "none" } }),
		storage.write([
			{ insert: "trace", entities: [createTrace("four")] },
			{ remove: "trace", where: { trace_tag: "none" } },
		]),
	];
}

async function assertAllUnavailable(storage: Storage, within: number): Promise<void> {
	const started = performance.now();
	for (const outcome of await Promise.allSettled(callAll(storage))) {
		assert.equal(outcome.status, "rejected");
		assert.ok(isSvcError(outcome.reason, "SVC_UNAVAILABLE"), String(outcome.reason));
	}
	assert.ok(performance.now() - started < within, `took ${performance.now() - started} ms`);
}

/** Resolves with the milliseconds until a write goes through again. */
async function waitUntilUsable(storage: Storage): Promise<number> {
	const started = performance.now();
	for (;;) {
		try {
			await storage.insert("trace", [createTrace("again")]);
			return performance.now() - started;
		} catch (error) {
			refused("SVC_UNAVAILABLE")(error);
			if (performance.now() - started > 10_000) throw error;
			await wait(50);
		}
	}
}

outageTest(
	"a server that is stopped makes every call unavailable at once, and calls work when it is back",
	withScope(async ({ server, storage }) => {
		for (const how of ["fast", "kill"] as const) {
			const underWay = Promise.allSettled(callAll(storage));
			await server.halt(how);
			for (const outcome of await underWay) if (outcome.status === "rejected") refused("SVC_UNAVAILABLE")(outcome.reason);
			await assertAllUnavailable(storage, 4_000);
			await server.resume();
			assert.ok((await waitUntilUsable(storage)) < 2_500);
			await Promise.all(callAll(storage));
		}
	}),
);

outageTest(
	"a start while the server is away is refused as unavailable at once, and another one succeeds when it is back",
	withScope(async ({ server, database }) => {
		await server.halt();
		const started = performance.now();
		await assert.rejects(startPostgresStorage({ url: database.url }), refused("SVC_UNAVAILABLE"));
		assert.ok(performance.now() - started < 2_000);
		await server.resume();
		const storage = await startPostgresStorage({ url: database.url });
		await Promise.all(callAll(storage));
		await storage.stop?.();
	}),
);

outageTest(
	"reads do not notice that idle connections were ended, and writes fail once at most",
	withScope(async ({ database, storage }) => {
		for (let round = 0; round < 4; round++) {
			await Promise.all(callAll(storage));
			await endConnections(database.url);
			const reads = [storage.count("trace", {}), storage.get("trace", "none"), storage.find("trace", { limit: 1 })];
			await Promise.all(reads);
			const settled = await Promise.allSettled(callAll(storage));
			for (const outcome of settled) if (outcome.status === "rejected") refused("SVC_UNAVAILABLE")(outcome.reason);
			await Promise.all(callAll(storage));
		}
	}),
);

outageTest(
	"a connection that is ended in the middle of a statement rejects that call only",
	withScope(async ({ database, storage }) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const holder = await holdLock(database.url, "executions");
		const update = storage.update("execution", execution.id, { status: "failed" });
		update.catch(() => {});
		await holder.waitForWaiting();
		await endConnections(database.url, "wait_event_type = 'Lock'");
		await assert.rejects(update, refused("SVC_UNAVAILABLE"));
		await holder.release();
		assert.equal((await storage.get("execution", execution.id))?.status, "requested");
	}),
);

outageTest(
	"a write that loses its connection half way leaves nothing, and nothing of it goes on elsewhere",
	withScope(async ({ database, storage }) => {
		const execution = createExecution();
		await storage.insert("execution", [execution]);
		const holder = await holdLock(database.url, "executions");
		const write = storage.write([
			{ insert: "trace", entities: [createTrace("half")] },
			{ update: "execution", id: execution.id, patch: { status: "failed" } },
			{ insert: "trace", entities: [createTrace("other half")] },
		]);
		write.catch(() => {});
		await holder.waitForWaiting();
		await endConnections(database.url, "wait_event_type = 'Lock'");
		await assert.rejects(write, refused("SVC_UNAVAILABLE"));
		await holder.release();
		assert.equal(await storage.count("trace", {}), 0);
		assert.equal((await storage.get("execution", execution.id))?.status, "requested");
	}),
);

outageTest(
	"a server that stands still makes calls unavailable within seconds, and they work when it goes on",
	withScope(async ({ server, storage }) => {
		await Promise.all(callAll(storage));
		const processes = stopServerProcesses(server);
		try {
			await assertAllUnavailable(storage, 8_500);
			const starting = assert.rejects(startPostgresStorage({ url: server.url }), refused("SVC_UNAVAILABLE"));
			await assertAllUnavailable(storage, 8_500);
			await starting;
		} finally {
			resumeServerProcesses(processes);
		}
		assert.ok((await waitUntilUsable(storage)) < 4_000);
		await Promise.all(callAll(storage));
	}),
);

outageTest(
	"a statement that is slow on a server that answers is not taken for an outage",
	withScope(async ({ database, storage }) => {
		const holder = await holdLock(database.url, "traces");
		const insert = storage.insert("trace", [createTrace("patient")]);
		await holder.waitForWaiting();
		await wait(3_500);
		await holder.release();
		await insert;
		assert.equal(await storage.count("trace", {}), 1);
	}),
);

outageTest(
	"a network that swallows everything makes calls unavailable within seconds, and stop does not wait for it",
	withScope(async ({ proxy, database }) => {
		const storage = await startPostgresStorage({ url: proxy.url });
		proxy.freeze();
		await assertAllUnavailable(storage, 8_500);
		const started = performance.now();
		await storage.stop?.();
		assert.ok(performance.now() - started < 5_000);
		proxy.thaw();
		const again = await startPostgresStorage({ url: database.url });
		await again.stop?.();
	}),
);

outageTest(
	"a commit whose answer was lost is unavailable: it may have happened",
	withScope(async ({ proxy, storage }) => {
		proxy.onStatement = (_, text) => {
			if (text.startsWith("commit")) proxy.swallowAnswers();
		};
		const write = storage.write([
			{ insert: "trace", entities: [createTrace("a")] },
			{ insert: "trace", entities: [createTrace("b")] },
		]);
		await assert.rejects(write, refused("SVC_UNAVAILABLE"));
		proxy.onStatement = () => {};
		proxy.thaw();
		await waitUntilUsable(storage);
		assert.equal(await storage.count("trace", { trace_tag: { in: ["a", "b"] } }), 2);
	}),
);

outageTest(
	"connections beyond what the server gives are done without",
	withScope(async ({ database }) => {
		await administer(database.url, "create role few login connection limit 2");
		await administer(database.url, "grant all on all tables in schema public to few");
		const url = new URL(database.url);
		url.username = "few";
		const limited = await startPostgresStorage({ url: url.href, pool_size: 10 });
		try {
			for (let round = 0; round < 5; round++) await Promise.all(callAll(limited));
		} finally {
			await limited.stop?.();
			await administer(database.url, "drop owned by few; drop role few");
		}
	}),
);

outageTest(
	"a full disk, a standby and other troubles of the server are unavailable, and pass",
	withScope(async ({ database, storage }) => {
		for (const code of ["53100", "53200", "58030", "57014", "XX001"]) {
			await administer(
				database.url,
				`create function fail() returns trigger language plpgsql as $$ begin raise exception using errcode = '${code}'; end $$;
				create trigger fail before insert on traces execute function fail()`,
			);
			await assert.rejects(storage.insert("trace", [createTrace("a")]), refused("SVC_UNAVAILABLE"), code);
			await administer(database.url, "drop function fail cascade");
			await storage.insert("trace", [createTrace("a")]);
		}
		const name = new URL(database.url).pathname.slice(1);
		await administer(database.url, `alter database ${name} set default_transaction_read_only = on`);
		await endConnections(database.url);
		await assert.rejects(storage.insert("trace", [createTrace("a")]), refused("SVC_UNAVAILABLE"));
		assert.ok((await storage.count("trace", {})) > 0);
		await administer(new URL("/postgres", database.url).href, `alter database ${name} reset default_transaction_read_only`);
		assert.ok((await waitUntilUsable(storage)) < 2_500);
	}),
);

test.run();
