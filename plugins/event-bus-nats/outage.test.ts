import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { natsTest } from "../../core/testing/services/nats.test-support.ts";
import { arrives, readUntilLag } from "../_event-bus/shared-bus.test-support.ts";
import { startBus, withServer } from "./nats-bus.test-support.ts";
import type { NatsBusOptions } from "./options.ts";

withServer(
	natsTest(test),
	"a server that is killed and started again: every subscriber is told, and events arrive again",
	async ({ server, start }) => {
		const [here, there] = [await start(), await start()];
		const events = await there.subscribe("a");
		await server.halt();
		await there.logged(/has no connection/);
		for (let number = 0; number < 1_000; number += 1) here.bus.publish("a", { number, text: "x".repeat(number) });
		const late = await there.subscribe("b");
		await server.resume();
		await readUntilLag(events);
		await readUntilLag(late);
		await arrives(here, there);
		await arrives(there, here);
	},
);

withServer(natsTest(test), "a start while the server is away ends soon; the bus connects by itself", async ({ server, start }) => {
	await server.halt();
	const began = performance.now();
	const [here, there] = [await start(), await start()];
	assert.ok(performance.now() - began < 4_000);
	assert.match(String((await here.logged(/has no connection/)).fields["reason"]), /ECONNREFUSED/);
	await server.resume();
	await here.logged(/connected to NATS/);
	await arrives(here, there);
});

withServer(natsTest(test), "of several servers one that is there is used", async ({ server, start }) => {
	const servers = ["127.0.0.1:1", "nats://localhost:1", server.url];
	const [here, there] = [await start({ servers }), await start({ servers })];
	await arrives(here, there);
});

withServer(natsTest(test), "a node gets only what somebody there wants", async ({ server, start }) => {
	const [here, there] = [await start(), await start()];
	const events = await there.subscribe("svc.execution__update");
	for (let number = 0; number < 100; number += 1) {
		here.bus.publish("svc.execution.output__create", { text: "x".repeat(10_000) });
		here.bus.publish("svc.execution__update", { number });
	}
	for (let number = 0; number < 100; number += 1) assert.equal((await events.next()).value?.data["number"], number);
	assert.ok(server.url);
});

withServer(natsTest(test), "services with prefixes of their own share a server and no event", async ({ start }) => {
	const [here, there, other] = [await start(), await start(), await start({ subject_prefix: "another.one" })];
	const [events, foreign] = [await there.subscribe("*"), await other.subscribe("*")];
	here.bus.publish("a", { number: 1 });
	assert.equal((await events.next()).value?.data["number"], 1);
	other.bus.publish("a", { number: 2 });
	assert.equal((await foreign.next()).value?.data["number"], 2);
});

withServer(natsTest(test), "three nodes: each gets the events of the two others", async ({ start }) => {
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

withServer(
	natsTest(test),
	"a wrong password is told in the log, without the password; the right one connects",
	async ({ start }) => {
		const wrong = await start({ user: "ann", password: "wr0ng-secret" });
		assert.match(String((await wrong.logged(/has no connection/)).fields["reason"]), /authorization violation/i);
		assert.equal(JSON.stringify(wrong.lines).includes("wr0ng-secret"), false);
		const [here, there] = [await start({ user: "ann", password: "right" }), await start({ user: "ann", password: "right" })];
		await arrives(here, there);
	},
	'authorization { users = [{ user: ann, password: "right" }] }',
);

withServer(
	natsTest(test),
	"a missing permission is no connection, and the log names it",
	async ({ start }) => {
		const node = await start({ user: "ann", password: "right" });
		assert.match(String((await node.logged(/has no connection/)).fields["reason"]), /permissions violation.*svc\.bus\.beat/i);
	},
	'authorization { users = [{ user: ann, password: "right", permissions: { publish: "svc.bus.>", subscribe: "other.>" } }] }',
);

withServer(
	natsTest(test),
	"events far above the limit of the server go in parts",
	async ({ start }) => {
		const [here, there] = [await start(), await start()];
		const events = await there.subscribe("a");
		const text = "€\u{1f600}ab".repeat(100_000);
		here.bus.publish("a", { number: 1, text });
		here.bus.publish("a", { number: 2 });
		assert.equal((await events.next()).value?.data["text"], text);
		assert.equal((await events.next()).value?.data["number"], 2);
	},
	"max_payload: 4096",
);

withServer(
	natsTest(test),
	"a server that is frozen holds up neither start nor stop, and leaves no socket behind",
	async ({ server, start }) => {
		await server.freeze();
		const began = performance.now();
		const node = await start();
		assert.match(String((await node.logged(/has no connection/)).fields["reason"]), /does not respond/);
		await node.bus.stop?.();
		assert.ok(performance.now() - began < 8_000);
		const hasSocket = () => process.getActiveResourcesInfo().includes("TCPSocketWrap");
		// A socket that is destroyed is gone a little later.
		for (let turn = 0; turn < 100 && hasSocket(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
		const isLeft = hasSocket();
		server.thaw();
		assert.equal(isLeft, false);
	},
);

test("wrong options are refused by name, and never with a credential", async () => {
	const servers = "127.0.0.1";
	const wrong: [object, RegExp][] = [
		[{}, /event_bus\.servers: must be nats:/],
		[{ servers: [] }, /event_bus\.servers/],
		[{ servers: "nats://u:s3cret@h:1" }, /event_bus\.servers: must be .*without credentials/],
		[{ servers: "host:70000" }, /event_bus\.servers/],
		[{ servers: "http://host" }, /event_bus\.servers/],
		[{ servers, user: "u" }, /user and password must be set together/],
		[{ servers, password: "s3cret" }, /user and password must be set together/],
		[{ servers, token: "s3cret", nkey: "SUA" }, /only one of token, user, nkey and creds/],
		[{ servers, nkey: "s3cret" }, /event_bus\.nkey: does not contain a valid key/],
		[{ servers, creds: "/nowhere/file" }, /event_bus\.creds: file "\/nowhere\/file" cannot be read/],
		[{ servers, subject_prefix: "a..b" }, /event_bus\.subject_prefix/],
		[{ servers, subject_prefix: "a.>" }, /event_bus\.subject_prefix/],
		[{ servers, tls: { cafile: "x" } }, /event_bus\.tls: unknown option "cafile"/],
		[{ servers, prefix: "x" }, /unknown option "prefix"; allowed: servers/],
	];
	for (const [options, message] of wrong) {
		await assert.rejects(startBus(options as NatsBusOptions), (error) => {
			return isSvcError(error, "SVC_CONFIG") && message.test(error.message) && !/s3cret/.test(error.stack ?? "");
		});
	}
});

test.run();
