// test-waits
import * as assert from "node:assert/strict";
import postgres from "postgres";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createTestDatabase, postgresTest, startPostgres, type TestDatabase } from "../../core/testing/services/postgres.test-support.ts";
import { arrives, type BusNode, readUntilLag } from "../_event-bus/shared-bus.test-support.ts";
import type { PostgresBusOptions } from "./options.ts";
import { quickBeat, startBus } from "./postgres-bus.test-support.ts";

const serverTest = postgresTest(test);

interface Scene {
	readonly database: TestDatabase;
	start(options?: Partial<PostgresBusOptions>): Promise<BusNode>;
	/** As somebody who administers the database. */
	ask(sql: string): Promise<readonly Record<string, unknown>[]>;
}

function withDatabase(name: string, body: (scene: Scene) => Promise<void>): void {
	serverTest(name, async () => {
		const database = await createTestDatabase();
		const administrator = postgres(database.url, { max: 1, fetch_types: false, onnotice: () => {} });
		const nodes: BusNode[] = [];
		const start: Scene["start"] = async (options) => {
			const node = await startBus({ url: database.url, ...options }, quickBeat);
			nodes.push(node);
			return node;
		};
		try {
			await body({ database, start, ask: async (sql) => administrator.unsafe(sql) });
		} finally {
			for (const { bus } of nodes) await bus.stop?.();
			await administrator.end();
			await database.drop();
		}
	});
}

const busConnections = "from pg_stat_activity where application_name = 'svc event bus' and datname = current_database()";

serverTest("a server that is killed and started again: every subscriber is told, and events arrive again", async () => {
	const server = await startPostgres();
	const { url } = await server.createDatabase();
	const [here, there] = [await startBus({ url }, quickBeat), await startBus({ url }, quickBeat)];
	try {
		const events = await there.subscribe("a");
		await server.halt("kill");
		await there.logged(/has no connection/);
		for (let number = 0; number < 1_000; number += 1) here.bus.publish("a", { number, text: "x".repeat(number) });
		await server.resume();
		await readUntilLag(events);
		await arrives(here, there);
		await server.halt("fast");
		const late = await there.subscribe("a");
		here.bus.publish("a", {});
		await server.resume();
		await readUntilLag(late);
		await arrives(there, here);
	} finally {
		for (const { bus } of [here, there]) await bus.stop?.();
		await server.stop();
	}
});

serverTest("a start while the server is away ends soon; the bus connects by itself", async () => {
	const server = await startPostgres();
	const { url } = await server.createDatabase();
	await server.halt();
	const began = performance.now();
	const [here, there] = [await startBus({ url }, quickBeat), await startBus({ url }, quickBeat)];
	try {
		assert.ok(performance.now() - began < 4_000);
		assert.match(String((await here.logged(/has no connection/)).fields["reason"]), /ECONNREFUSED/);
		await server.resume();
		await here.logged(/connected to PostgreSQL/);
		await there.logged(/connected to PostgreSQL/);
		await arrives(here, there);
	} finally {
		for (const { bus } of [here, there]) await bus.stop?.();
		await server.stop();
	}
});

withDatabase("connections that are cut: of the listener readers are told, of the others nothing is missed", async ({ start, ask }) => {
	const [here, there] = [await start(), await start()];
	for (let round = 0; round < 3; round += 1) {
		const events = await there.subscribe("a");
		await ask(`select pg_terminate_backend(pid) ${busConnections} and query like 'listen %'`);
		await readUntilLag(events);
	}
	await arrives(here, there);
	const events = await there.subscribe("a");
	for (let number = 0; number < 200; number += 1) {
		here.bus.publish("a", { number });
		if (number % 50 === 0) await ask(`select pg_terminate_backend(pid) ${busConnections} and query not like 'listen %'`);
	}
	const numbers: number[] = [];
	while (numbers.length < 200) numbers.push(Number((await events.next()).value?.data["number"]));
	assert.deepEqual(
		numbers,
		numbers.map((_, index) => index),
	);
});

withDatabase("many nodes start at once on an empty database and make one table", async ({ start, ask }) => {
	const nodes = await Promise.all(Array.from({ length: 8 }, () => start({ schema: 'Events of "svc"' })));
	for (const { lines } of nodes)
		assert.deepEqual(
			lines.map(({ message }) => message),
			["event bus connected to PostgreSQL"],
		);
	const [found] = await ask("select relpersistence from pg_class where relname = 'svc_bus_packet'");
	assert.deepEqual(found, { relpersistence: "u" });
	const last = nodes.at(-1) as BusNode;
	const readers = await Promise.all(nodes.map((node) => node.subscribe("a")));
	last.bus.publish("a", { text: "x".repeat(100_000) });
	for (const reader of readers) assert.equal(String((await reader.next()).value?.data["text"]).length, 100_000);
});

withDatabase("a large event whose row is gone tells the readers; where nobody wants it no row is read", async ({ start, ask }) => {
	const [here, there] = [await start(), await start()];
	const [events, others] = [await there.subscribe("a"), await here.subscribe("b")];
	await arrives(here, there);
	await ask("create function skip() returns trigger language plpgsql as 'begin return null; end'");
	await ask("create trigger skip before insert on svc_bus_packet for each row execute function skip()");
	here.bus.publish("unwanted", { text: "x".repeat(50_000) });
	here.bus.publish("a", { number: 1 });
	here.bus.publish("a", { number: 2, text: "x".repeat(50_000) });
	assert.deepEqual(await readUntilLag(events), [1]);
	there.bus.publish("b", { number: 3 });
	assert.equal((await others.next()).value?.data["number"], 3);
});

withDatabase("what the server refuses for ever is given up, with the reason in the log, and other events go on", async ({ start, ask }) => {
	const [here, there] = [await start(), await start()];
	await arrives(here, there);
	const events = await there.subscribe("a");
	await ask("alter table svc_bus_packet add check (length(body) < 100)");
	here.bus.publish("a", { number: 1, text: "x".repeat(50_000) });
	assert.match(String((await here.logged(/has no connection/)).fields["reason"]), /violates check constraint/);
	assert.deepEqual(await readUntilLag(events), []);
	await arrives(here, there);
});

withDatabase("old rows are removed, by whichever node comes", async ({ start, ask }) => {
	const [here, there] = [await start(), await start()];
	const events = await there.subscribe("a");
	here.bus.publish("a", { text: "x".repeat(50_000) });
	await events.next();
	await ask("update svc_bus_packet set created_at = now() - interval '61 seconds'");
	await ask("insert into svc_bus_packet (sender, sequence, body) values ('gone', 1, '')");
	await start();
	const left = async () => (await ask("select sender from svc_bus_packet")).map(({ sender }) => sender);
	while ((await left()).length > 1) await new Promise((resolve) => setTimeout(resolve, 10));
	assert.deepEqual(await left(), ["gone"]);
});

withDatabase("services with channels of their own share a database and no event", async ({ start }) => {
	const [here, there, other] = [await start(), await start(), await start({ channel: 'another "one"' })];
	const [events, foreign] = [await there.subscribe("a"), await other.subscribe("a")];
	here.bus.publish("a", { number: 1 });
	assert.equal((await events.next()).value?.data["number"], 1);
	other.bus.publish("a", { number: 2 });
	assert.equal((await foreign.next()).value?.data["number"], 2);
});

withDatabase("notifications of somebody else on the channel harm nobody", async ({ start, ask }) => {
	const there = await start();
	const events = await there.subscribe("a");
	await ask("notify svc; notify svc, 'hello'");
	await ask(`select pg_notify('svc', E'svc1 events somebody 0 1\\n"a"\\n{"number":1}\\n')`);
	await ask(`select pg_notify('svc', E'svc1 events somebody 0 2\\n"a"\\n{"number":')`);
	assert.deepEqual(await readUntilLag(events), [1]);
});

withDatabase("three nodes: each gets the events of the two others", async ({ start }) => {
	const nodes = [await start(), await start(), await start()];
	const readers = await Promise.all(nodes.map((node) => node.subscribe("a")));
	nodes.forEach(({ bus }, node) => {
		for (let number = 0; number < 500; number += 1) bus.publish("a", { node, number });
	});
	for (const reader of readers) {
		const numbers: number[][] = [[], [], []];
		for (let count = 0; count < 1_500; count += 1) {
			const data = (await reader.next()).value?.data;
			numbers[Number(data?.["node"])]?.push(Number(data?.["number"]));
		}
		for (const list of numbers) assert.deepEqual(list, [...list.keys()]);
	}
});

serverTest("a wrong password is told in the log, without the password", async () => {
	const server = await startPostgres();
	const administrator = postgres(server.url, { max: 1, fetch_types: false });
	try {
		await administrator.unsafe("create user ann password 'right'");
		// The test's server lets everybody in: it must ask for the password first.
		const [file] = await administrator.unsafe("show hba_file");
		const { writeFile } = await import("node:fs/promises");
		await writeFile(String(file?.["hba_file"]), "host all ann 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n");
		await administrator.unsafe("select pg_reload_conf()");
		await server.halt();
		await server.resume();
		const node = await startBus({ url: `postgres://ann:wr0ng-secret@127.0.0.1:${server.port}/postgres` });
		const { fields } = await node.logged(/has no connection/);
		assert.match(String(fields["reason"]), /password authentication failed for user "ann"/);
		assert.equal(JSON.stringify(node.lines).includes("wr0ng-secret"), false);
		await node.bus.stop?.();
	} finally {
		await administrator.end({ timeout: 1 });
		await server.stop();
	}
});

test("wrong options are refused by name, and never with the password", async () => {
	const url = "postgres://u:s3cret@127.0.0.1:1/d";
	const wrong: [object, RegExp][] = [
		[{}, /event_bus\.url is required: postgres:/],
		[{ url: "mysql://u:s3cret@h/d" }, /event_bus\.url/],
		[{ url: "postgres://u:s3cret@h:port/d" }, /event_bus\.url/],
		[{ url, chanel: "x" }, /unknown option "chanel"; allowed: url, schema, channel, ssl/],
		[{ url, channel: "x".repeat(64) }, /event_bus\.channel/],
		[{ url, schema: "" }, /event_bus\.schema/],
		[{ url, ssl: "require" }, /event_bus\.ssl/],
		[{ url, ssl: { cafile: "x" } }, /event_bus\.ssl\.cafile is unknown/],
		[{ url: `${url}?sslmod=require` }, /event_bus\.url has the parameter "sslmod"/],
		[{ url, ssl: { cacert: "/does/not/exist" } }, /event_bus\.ssl\.cacert/],
	];
	for (const [options, message] of wrong) {
		await assert.rejects(startBus(options as PostgresBusOptions), (error) => {
			return isSvcError(error, "SVC_CONFIG") && message.test(error.message) && !/s3cret/.test(JSON.stringify([error.message, error.stack]));
		});
	}
});

test.run();
