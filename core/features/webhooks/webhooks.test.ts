import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "uvu";
import { isSvcError, type JsonObject, type JsonValue, type Storage, type TriggerEntity } from "../../contract/index.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import type { Delivery } from "./webhooks-exports.ts";

interface Scope {
	readonly engine: Engine;
	readonly storage: Storage;
	/** Send a body to a url. */
	send(url: string, body: JsonValue, headers?: Record<string, string>): ReturnType<Engine["webhooks"]["receive"]>;
	/** Number of stored trigger instances that came in over a webhook. */
	instances(): Promise<number>;
}

/** An engine with webhooks of these parameters, as rules would have made them. */
async function withHooks(hooks: readonly JsonObject[], run: (scope: Scope) => Promise<void>): Promise<void> {
	const { storage, createDoor, release } = createSharedStorage();
	await storage.insert("trigger", hooks.map(toTrigger));
	const { plugin, eventBus } = createDoor();
	const service = await startEngine({ storage: plugin, eventBus });
	const { engine } = service;
	try {
		await run({
			engine,
			storage,
			send: (url, body, headers = {}) => engine.webhooks.receive(url, toDelivery(body, headers)),
			instances: () => storage.count("trigger_instance", { trigger_type: { in: ["core.svc.webhook", "core.svc.generic.inquiry"] } }),
		});
	} finally {
		await service.stop();
		await release();
	}
}

function toTrigger(parameters: JsonObject, index: number): TriggerEntity {
	const id = createId({ now: () => Date.now() * 1_000 + index });
	const type = "core.svc.webhook";
	return { id, ref: `core.${id}`, pack: "core", name: id, type, parameters_hash: hashParameters(parameters), description: "", parameters };
}

function toDelivery(body: JsonValue, headers: Record<string, string>): Delivery {
	return { headers, query: {}, bytes: Buffer.from(JSON.stringify(body)), body, traceTag: headers["svc-trace-tag"], principal };
}

const coded = (code: string, pattern: RegExp) => (error: unknown) =>
	isSvcError(error) && error.code === code && pattern.test(error.message);

test("a delivery becomes a trigger instance with headers in both spellings and without credentials", () =>
	withHooks([{ url: "/monitor/disk/" }], async ({ send, storage }) => {
		const headers = {
			"x-github-event": "push",
			"content-type": "application/json",
			"svc-api-key": "key",
			"x-auth-token": "token",
			authorization: "Bearer t",
			cookie: "auth-token=t",
			"svc-trace-tag": "ticket",
		};
		const { instances } = await send("monitor/disk", { level: "critical" }, headers);
		const instance = await storage.get("trigger_instance", instances[0]?.id ?? "");
		assert.deepEqual(instance?.payload, {
			headers: { "X-Github-Event": "push", "Content-Type": "application/json" },
			headers_lower: { "x-github-event": "push", "content-type": "application/json" },
			query: {},
			body: { level: "critical" },
		});
		assert.equal((await storage.get("trace", instance.trace_id))?.trace_tag, "ticket");
	}));

test("slashes around a url do not matter, those inside do", () =>
	withHooks([{ url: "a/b" }], async ({ engine, send, instances }) => {
		for (const url of ["a/b", "/a/b", "a/b/", "/a/b/", "//a/b//"]) await send(url, {});
		assert.equal(await instances(), 5);
		for (const url of ["a", "b", "a//b", "ab", ""]) await assert.rejects(send(url, {}), coded("SVC_NOT_FOUND", /is not registered/));
		assert.deepEqual(
			(await engine.webhooks.list()).map(({ url }) => url),
			["a/b"],
		);
	}));

test("without a tag the trace is named after the hook", () =>
	withHooks([{ url: "a/b" }], async ({ send, storage }) => {
		const { instances } = await send("a/b", []);
		assert.match((await storage.get("trace", instances[0]?.trace_id ?? ""))?.trace_tag ?? "", /^webhook-a\/b-[0-9a-f]{32}$/);
	}));

test("bodies other than objects and lists are refused", () =>
	withHooks([{ url: "a" }], async ({ send, instances }) => {
		for (const body of ["text", 1, true, null]) await assert.rejects(send("a", body), coded("SVC_INVALID", /body/));
		assert.equal(await instances(), 0);
	}));

test("the generic hook dispatches the trigger that its body names", () =>
	withHooks([], async ({ send, storage }) => {
		const payload = { id: "1", route: "r" };
		const { instances } = await send("/svc/", { trigger: "core.svc.generic.inquiry", payload }, { "svc-trace-tag": "t" });
		assert.deepEqual((await storage.get("trigger_instance", instances[0]?.id ?? ""))?.payload, payload);
		for (const [body, problem] of [
			[[], /object with trigger and payload/],
			[{}, /trigger: required/],
			[{ trigger: 1, payload }, /trigger: required/],
			[{ trigger: "core.svc.generic.inquiry" }, /payload: required/],
			[{ trigger: "core.svc.generic.inquiry", payload: [] }, /payload: required/],
			[{ trigger: "core.nothing", payload }, /trigger or trigger type "core.nothing" does not exist/],
		] as const) {
			await assert.rejects(send("svc", body), coded("SVC_INVALID", problem));
		}
	}));

test("hooks of one url each take a delivery, in one trace", () =>
	withHooks([{ url: "a" }, { url: "/a" }, { url: "b" }], async ({ send, storage }) => {
		const { instances } = await send("a", {});
		assert.equal(instances.length, 2);
		assert.equal(new Set(instances.map(({ trace_id }) => trace_id)).size, 1);
		assert.equal(await storage.count("trace", {}), 1);
	}));

test("of 1,000 parallel deliveries with one id, one becomes a trigger instance", () =>
	withHooks([{ url: "a", deduplicate: { header: "X-Delivery" }, ledger: true }], async ({ engine, send, instances }) => {
		const all = await Promise.all(Array.from({ length: 1_000 }, () => send("a", {}, { "x-delivery": "7" })));
		assert.equal(await instances(), 1);
		assert.equal(new Set(all.map(({ instances: [one] }) => `${one?.id} ${one?.trace_id}`)).size, 1);
		await send("a", {}, { "x-delivery": "8" });
		await send("a", {});
		await send("a", {});
		assert.equal(await instances(), 4);
		assert.equal((await engine.webhooks.deliveries({ verdict: "duplicate" })).total, 999);
		assert.equal((await engine.webhooks.deliveries({ verdict: "accepted", limit: 1 })).total, 4);
	}));

test("a delivery id counts within its window and for its hook only", () =>
	withHooks(
		[
			{ url: "a", deduplicate: { header: "x-id", window: 1 } },
			{ url: "b", deduplicate: { body: "event.id" } },
		],
		async (scope) => {
			const { send, storage, instances } = scope;
			await send("a", {}, { "x-id": "1" });
			await send("b", { event: { id: "1" } });
			assert.equal(await instances(), 2);
			const [first] = await storage.find("webhook_delivery", { where: { url: "a" } });
			await storage.update("webhook_delivery", first?.id ?? "", { received_at: "2020-01-01T00:00:00.000000Z" });
			await Promise.all([1, 2, 3].map(() => send("a", {}, { "x-id": "1" })));
			assert.equal(await instances(), 3);
			await send("b", { event: { id: 1 } });
			assert.equal(await instances(), 3);
		},
	));

test("a delivery whose signature is not good is refused, kept in the ledger, and does not take the delivery id", () =>
	withHooks(
		[{ url: "a", signature: { scheme: "github", secret_keys: ["hook_secret"] }, deduplicate: {}, ledger: true }],
		async ({ engine, send, instances }) => {
			await engine.datastore.set("hook_secret", { value: "a longer pin", secret: true }, principal);
			const body = { ref: "main" };
			const signature = `sha256=${createHmac("sha256", "a longer pin").update(JSON.stringify(body)).digest("hex")}`;
			const headers = { "x-github-delivery": "1", "x-hub-signature-256": `${signature.slice(0, -1)}x` };
			await assert.rejects(send("a", body, headers), coded("SVC_FORBIDDEN", /webhook "a": the signature does not match/));
			await assert.rejects(send("a", body, { "x-github-delivery": "1" }), coded("SVC_FORBIDDEN", /X-Hub-Signature-256/));
			assert.equal(await instances(), 0);
			await send("a", body, { ...headers, "x-hub-signature-256": signature });
			assert.equal(await instances(), 1);
			const { items } = await engine.webhooks.deliveries({ url: "/a" });
			assert.deepEqual(
				items.map(({ verdict }) => verdict),
				["accepted", "refused", "refused"],
			);
			assert.match(items[1]?.reason ?? "", /is missing/);
		},
	));

test("a kept delivery can be dispatched once more", () =>
	withHooks([{ url: "a", ledger: true }], async ({ engine, send, storage, instances }) => {
		await send("a", { n: 1 }, { "x-kind": "k", "svc-api-key": "secret" });
		const [kept] = (await engine.webhooks.deliveries({})).items;
		const replayed = await engine.webhooks.replay(kept?.id ?? "", { ...principal, username: "otto" });
		assert.equal(await instances(), 2);
		assert.deepEqual([replayed.verdict, replayed.user], ["replayed", "otto"]);
		const [one, other] = await storage.find("trigger_instance", {});
		assert.deepEqual(one?.payload, other?.payload);
		assert.ok(!JSON.stringify(kept).includes("secret"));
		await assert.rejects(engine.webhooks.replay("nothing", principal), coded("SVC_NOT_FOUND", /nothing/));
	}));

test.run();
