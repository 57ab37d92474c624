import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { RbacConfig, Storage, StoragePlugin } from "../../contract/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

type Records = readonly Readonly<Record<string, unknown>>[];

type Grants = NonNullable<NonNullable<RbacConfig["roles"]>[number]["permission_grants"]>;

const looking: Grants[number]["permission_types"] = ["trigger_instance_list", "trace_list"];
const role = (name: string, ...permission_grants: Grants) => ({
	name,
	permission_grants: [{ permission_types: looking }, ...permission_grants],
});
const types = (...permission_types: Grants[number]["permission_types"]) => ({ permission_types });

/** What each user may see besides the lists of events and traces. */
const rbac: RbacConfig = {
	roles: [
		role("plain"),
		role("triggers", types("trigger_list")),
		role("webhooks", types("webhook_list")),
		role("one", { resource_uid: "webhook:hello", permission_types: ["webhook_view"] }),
		role("rule", types("webhook_list"), { resource_uid: "rule:default:greeted", permission_types: ["rule_view"] }),
		role("timers", types("timer_list", "rule_list")),
		role("pack", { resource_uid: "pack:core", permission_types: ["timer_view"] }),
	],
	assignments: ["plain", "triggers", "webhooks", "one", "rule", "timers", "pack"].map((name) => ({ username: name, roles: [name] })),
};

const hook = { type: "core.svc.webhook", parameters: { url: "/hello" } };
const secret = {
	pack: "default",
	name: "guarded",
	parameters_schema: { type: "object", properties: { pin: { type: "string", secret: true }, place: { type: "string" } } },
};
const guarded = { type: "default.guarded", parameters: { pin: "a secret pin", place: "door" } };
const plain = { type: "default.watcher_seen", parameters: {} };

/** An event each of a webhook, of a trigger with a secret, of one without parameters, and of a webhook whose rule is deleted. */
async function withEvents({ ask, signIn }: GuardedService) {
	const root = await signIn("root");
	const send = async (method: string, path: string, body?: object) => {
		const answer = await ask(root, method, `/v1${path}`, body);
		assert.ok(answer.status < 300, `${method} ${path} ${JSON.stringify(answer.body)}`);
		return answer.body;
	};
	await send("POST", "/triggertypes", secret);
	await send("POST", "/triggertypes", { pack: "default", name: "watcher_seen" });
	const rule = (name: string, trigger: object) => ({ name, pack: "default", trigger, action: { ref: "default.speak" } });
	await send("POST", "/rules", rule("greeted", hook));
	await send("POST", "/rules", rule("opened", guarded));
	await send("POST", "/rules", rule("gone", { ...hook, parameters: { url: "gone" } }));
	const { ref } = await send("POST", "/triggers", guarded);
	await send("POST", "/webhooks/hello", { said: 1 });
	await send("POST", "/webhooks/gone", {});
	await send("POST", "/webhooks/svc", { trigger: ref, payload: {} });
	await send("POST", "/webhooks/svc", { trigger: plain.type, payload: {} });
	await send("DELETE", "/rules/default.gone");
	return { root, send };
}

const eventTypes = "core.svc.webhook,default.guarded,default.watcher_seen";
const ofRoot = ["default.guarded pin=******** place=door", "default.watcher_seen", "deleted webhook", "webhook hello"];

test("events and traces name their triggers to those who may view the parameters of the triggers", () =>
	withGuardedService(
		async (service) => {
			const { root } = await withEvents(service);
			const { ask, signIn } = service;
			const list = async (token: string, path: string) => (await ask(token, "GET", path)).body as unknown as Records;
			const titlesFor = async (token: string) => {
				const events = await list(token, `/v1/triggerinstances?trigger_type=${eventTypes}`);
				assert.equal(events.length, 4);
				const titles = events.flatMap(({ trigger_title: title }) => (title === undefined ? [] : [String(title)])).sort();
				const components = (await list(token, "/v1/traces"))
					.flatMap(({ trigger_instances: instances }) => instances as Records)
					.filter(({ ref }) => ref !== "core.svc.sensor.process_spawn");
				assert.equal(components.length, 4);
				assert.deepEqual(components.flatMap(({ title }) => (title === undefined ? [] : [String(title)])).sort(), titles);
				assert.ok(components.every((component) => !Object.hasOwn(component, "trigger_type")));
				return titles;
			};
			assert.deepEqual(await titlesFor(root), ofRoot);
			assert.deepEqual(await titlesFor(await signIn("triggers")), ofRoot);
			assert.deepEqual(await titlesFor(await signIn("webhooks")), ["deleted webhook", "webhook hello"]);
			assert.deepEqual(await titlesFor(await signIn("one")), ["deleted webhook", "webhook hello"]);
			for (const user of ["plain", "timers"]) assert.deepEqual(await titlesFor(await signIn(user)), ["deleted webhook"]);
			const [event] = await list(
				root,
				"/v1/triggerinstances?trigger_type=core.svc.webhook&include_attributes=trigger_title&sort=timestamp",
			);
			assert.deepEqual(event, { id: event?.["id"], trigger_title: "webhook hello" });
			assert.equal((await ask(root, "GET", `/v1/triggerinstances/${String(event?.["id"])}`)).body["trigger_title"], "webhook hello");
			const [without] = await list(root, "/v1/triggerinstances?limit=1&exclude_attributes=trigger_title");
			assert.equal(without?.["trigger_title"], undefined);
		},
		{ rbac },
	));

test("a webhook names its rules to those who may view them, and a rule its trigger", () =>
	withGuardedService(
		async (service) => {
			const { root, send } = await withEvents(service);
			const { ask, signIn } = service;
			await send("POST", "/rules", { name: "also", pack: "default", trigger: hook, action: { ref: "default.speak" } });
			const hooksFor = async (token: string) => (await ask(token, "GET", "/v1/webhooks")).body as unknown as Records;
			const [shown] = await hooksFor(root);
			assert.deepEqual([shown?.["title"], shown?.["rules"]], ["webhook hello", ["default.also", "default.greeted"]]);
			assert.deepEqual((await ask(root, "GET", "/v1/webhooks/hello")).body, shown);
			assert.deepEqual(await hooksFor(await signIn("rule")), [{ ...shown, rules: ["default.greeted"] }]);
			assert.deepEqual(await hooksFor(await signIn("webhooks")), [{ ...shown, rules: [] }]);
			assert.equal((await ask(root, "GET", `/v1/triggers/${String(shown?.["ref"])}`)).body["title"], "webhook hello");
			const titleOf = async (path: string) => ((await send("GET", path))["trigger"] as Records[number])["title"];
			assert.equal(await titleOf("/rules/default.greeted"), "webhook hello");
			assert.equal(await titleOf("/rules/default.opened"), "default.guarded pin=******** place=door");
			assert.equal(await titleOf("/rules/default.opened?show_secrets=true"), "default.guarded pin=a secret pin place=door");
			assert.equal(await titleOf("/rules/views/default.greeted"), "webhook hello");
		},
		{ rbac },
	));

test("a permission on the pack of a timer is enough to view it", () =>
	withGuardedService(
		async (service) => {
			const { send } = await withEvents(service);
			const trigger = { type: "core.svc.IntervalTimer", parameters: { unit: "hours", delta: 1 } };
			const rule = await send("POST", "/rules", { name: "hourly", pack: "default", trigger, action: { ref: "default.speak" } });
			const { ref } = rule["trigger"] as Records[number];
			for (const [user, status] of [
				["pack", 200],
				["plain", 403],
			] as const)
				assert.equal((await service.ask(await service.signIn(user), "GET", `/v1/timers/${String(ref)}`)).status, status, user);
		},
		{ rbac },
	));

/** A storage that notes the kinds of records that are searched. */
function noting(plugin: StoragePlugin, searched: string[]): StoragePlugin {
	const create = (storage: Storage): Storage => {
		const find: Storage["find"] = (kind, query) => {
			searched.push(kind);
			return storage.find(kind, query);
		};
		return new Proxy(storage, {
			get(target, name) {
				const value: unknown = name === "find" ? find : Reflect.get(target, name);
				return typeof value === "function" ? value.bind(target) : value;
			},
		});
	};
	return { ...plugin, create: (...given) => create(plugin.create(...given)) };
}

test("however long a page is, titles take two queries for triggers, and rules one", () => {
	const searched: string[] = [];
	return withGuardedService(
		async (service) => {
			const { root, send } = await withEvents(service);
			for (let index = 0; index < 20; index += 1) {
				const trigger = { ...hook, parameters: { url: `many/${index}` } };
				await send("POST", "/rules", { name: `many${index}`, pack: "default", trigger, action: { ref: "default.speak" } });
				await send("POST", `/webhooks/many/${index}`, {});
			}
			const searchesOf = async (path: string) => {
				searched.length = 0;
				assert.ok(((await service.ask(root, "GET", path)).body as unknown as Records).length >= 20);
				return searched.filter((kind) => ["trigger", "trigger_type", "rule"].includes(kind)).sort();
			};
			// The type says which parameters of a trigger are secret.
			assert.deepEqual(await searchesOf("/v1/triggerinstances"), ["trigger", "trigger", "trigger_type"]);
			assert.deepEqual(await searchesOf("/v1/triggerinstances?trigger_type=core.svc.webhook"), ["trigger", "trigger"]);
			assert.deepEqual(await searchesOf("/v1/triggerinstances?exclude_attributes=trigger_title"), []);
			assert.deepEqual(await searchesOf("/v1/traces"), ["trigger", "trigger", "trigger_type"]);
			assert.deepEqual(await searchesOf("/v1/webhooks"), ["rule", "trigger"]);
		},
		{ rbac, storage: (plugin) => noting(plugin, searched) },
	);
});

test.run();
