import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../testing/guarantees/until.test-support.ts";
import { type GuardedService, withGuardedService } from "../testing/http/guarded-service.test-support.ts";

const speak = "action:default:speak";
const rbac = {
	roles: [
		{
			name: "starter",
			permission_grants: [
				{ resource_uid: speak, permission_types: ["action_execute"] },
				{ permission_types: ["execution_list", "rule_enforcement_list", "trigger_instance_list"] },
			],
		},
		{ name: "speech_viewer", permission_grants: [{ resource_uid: speak, permission_types: ["action_view"] }] },
		{
			name: "item_watcher",
			permission_grants: [
				{ resource_uid: "trigger_type:core:svc.key_value_pair.create", permission_types: ["trigger_instance_view"] },
				{ permission_types: ["trigger_instance_list"] },
			],
		},
		{
			name: "clockmaker",
			permission_grants: [{ resource_uid: "pack:default", permission_types: ["timer_create", "timer_delete"] }],
		},
		{ name: "event_maker", permission_grants: [{ resource_uid: "pack:default", permission_types: ["trigger_all"] }] },
		{
			name: "rule_tester",
			permission_grants: [
				{ resource_uid: "pack:default", permission_types: ["rule_create"] },
				{ resource_uid: speak, permission_types: ["action_execute"] },
			],
		},
		{ name: "whisper_viewer", permission_grants: [{ resource_uid: "action:default:whisper", permission_types: ["action_view"] }] },
		{ name: "hook_sender", permission_grants: [{ resource_uid: "webhook:disk", permission_types: ["webhook_send"] }] },
	],
	assignments: [
		...["starter", "clockmaker", "event_maker", "rule_tester", "hook_sender", "observer"].map((name) => ({
			username: name,
			roles: [name],
		})),
		{ username: "viewer", roles: ["starter", "speech_viewer"] },
		{ username: "bea", roles: ["item_watcher", "rule_tester"] },
		{ username: "insider", roles: ["rule_tester", "whisper_viewer"] },
		{ username: "watcher", roles: ["item_watcher"] },
	],
};

type Rows = readonly Record<string, unknown>[];

const guarded = (run: (service: GuardedService, root: string) => Promise<void>) => () =>
	withGuardedService(async (service) => run(service, await service.signIn("root")), { rbac });

/** The newest event of a type. */
async function findEvent({ ask }: GuardedService, token: string, type: string): Promise<Record<string, unknown>> {
	const { body } = await ask(token, "GET", `/v1/triggerinstances?trigger_type=${type}`);
	return (body as unknown as Rows)[0] ?? {};
}

/** The id of an event that a webhook took in. */
async function receive(service: GuardedService, root: string): Promise<string> {
	await service.ask(root, "POST", "/v1/triggers", { type: "core.svc.webhook", parameters: { url: "disk", ledger: true } });
	await service.ask(root, "POST", "/v1/webhooks/disk", { said: "a payload" });
	return String((await findEvent(service, root, "core.svc.webhook"))["id"]);
}

test(
	"neither somebody without a role nor a key for one webhook sees, repeats or makes events",
	guarded(async (service, root) => {
		const { ask, signIn, urls } = service;
		const id = await receive(service, root);
		const nobody = await signIn("nobody");
		const { body } = await ask(root, "POST", "/v1/apikeys", { scopes: ["webhook:disk"] });
		const timer = { type: "core.svc.IntervalTimer", parameters: { unit: "seconds", delta: 1 } };
		const hook: Record<string, string> = { "svc-api-key": String(body["key"]), "content-type": "application/json" };
		for (const [method, path, input] of [
			["GET", "/triggerinstances"],
			["GET", `/triggerinstances/${id}`],
			["POST", `/triggerinstances/${id}/re_emit`, {}],
			["GET", "/triggertypes"],
			["POST", "/triggertypes", { pack: "default", name: "mine" }],
			["DELETE", "/triggertypes/default.watcher.seen"],
			["GET", "/triggers"],
			["POST", "/triggers", timer],
			["GET", "/ruletypes"],
			["POST", "/auth/v1/tokens/validate", { token: "x" }],
			["GET", "/rbac/role_assignments?user=root"],
		] as const) {
			const full = path.startsWith("/auth") ? path : `/v1${path}`;
			const expected = path.startsWith("/triggertypes/") ? [403, 404] : [403];
			assert.ok(expected.includes((await ask(nobody, method, full, input)).status), `${method} ${path} without a role`);
			const response = await fetch(urls.api + full, { method, headers: hook, ...(input !== undefined && { body: JSON.stringify(input) }) });
			assert.ok(expected.includes(response.status), `${method} ${path} with the key: ${response.status}`);
		}
		const sent = await fetch(`${urls.api}/v1/webhooks/disk`, { method: "POST", headers: hook, body: "{}" });
		assert.equal(sent.status, 202);
	}),
);

test(
	"those who may only list, start or stop executions see neither their results nor what they were given",
	guarded(async (service, root) => {
		const { ask, signIn, run } = service;
		const [starter, viewer] = [await signIn("starter"), await signIn("viewer")];
		await ask(root, "POST", "/v1/rules", {
			name: "speaks",
			pack: "default",
			enabled: true,
			trigger: { type: "core.svc.webhook", parameters: { url: "disk" } },
			action: { ref: "default.speak" },
		});
		await receive(service, root);
		const id = await run(starter);
		const answerOf = async (path: string) => JSON.stringify((await ask(root, "GET", path)).body);
		const showsResult = async (path: string) => (await answerOf(path)).includes("a result kept") || undefined;
		await until("the rule's execution to end", 30, () => showsResult("/v1/ruleenforcements/views"));
		const given = '"pin":"********"';
		const requests = [
			["GET", "/v1/executions"],
			["GET", `/v1/executions?include_attributes=result&id=${id}`],
			["GET", "/v1/ruleenforcements/views"],
			["POST", "/v1/executions", { action: "default.speak" }],
		] as const;
		for (const [method, path, body] of requests) {
			const answer = JSON.stringify((await ask(starter, method, path, body)).body);
			assert.ok(!answer.includes("a result kept") && !answer.includes(given), `${method} ${path}: ${answer}`);
		}
		for (const [method, path, body] of requests.slice(0, 2)) {
			assert.match(JSON.stringify((await ask(viewer, method, path, body)).body), /a result kept/);
		}
		assert.ok(JSON.stringify((await ask(viewer, "GET", "/v1/executions")).body).includes(given));
		for (const [user, method] of [starter, viewer].flatMap((user) => [[user, "PUT"] as const, [user, "DELETE"] as const])) {
			const started = await ask(user, "POST", "/v1/executions", { action: "default.speak", parameters: { pin: "own" }, delay: 600_000 });
			// What the caller has just given is shown to the caller.
			assert.ok(JSON.stringify(started.body).includes(given));
			const { status, body } = await ask(user, method, `/v1/executions/${started.body["id"]}`, { status: "canceled" });
			assert.deepEqual([status, body["status"], JSON.stringify(body).includes(given)], [200, "canceled", user === viewer], method);
		}
		const { body: whispered } = await ask(root, "POST", "/v1/executions", {
			action: "default.whisper",
			context: { parent: { execution_id: id } },
		});
		await until("the child to end", 30, () => showsResult(`/v1/executions/${String(whispered["id"])}`));
	}),
);

test(
	"a list of children has those that its reader may get",
	guarded(async ({ ask, signIn, run }, root) => {
		const [viewer, observer] = [await signIn("viewer"), await signIn("observer")];
		const id = await run(root);
		const startChild = async (action: string, parent: string) =>
			String((await ask(root, "POST", "/v1/executions", { action, context: { parent: { execution_id: parent } } })).body["id"]);
		const [whispered, spoken] = [await startChild("default.whisper", id), await startChild("default.speak", id)];
		const below = await startChild("default.speak", whispered);
		const childrenFor = async (token: string, query = "") => {
			const { body } = await ask(token, "GET", `/v1/executions/${id}/children${query}`);
			return (body as unknown as Rows).map((child) => child["id"]).sort();
		};
		assert.equal((await ask(viewer, "GET", `/v1/executions/${whispered}`)).status, 403);
		assert.deepEqual(await childrenFor(viewer), [spoken, below].sort());
		assert.deepEqual(await childrenFor(viewer, "?limit=2"), [spoken, below].sort());
		for (const token of [root, observer]) assert.deepEqual(await childrenFor(token), [whispered, spoken, below].sort());
	}),
);

test(
	"the payload of an event is for those who may see such events, and what it tells of",
	guarded(async (service, root) => {
		const { ask, signIn, run } = service;
		const id = await receive(service, root);
		await run(root);
		const [starter, observer] = [await signIn("starter"), await signIn("observer")];
		const [bea, watcher] = [await signIn("bea"), await signIn("watcher")];
		await ask(bea, "PUT", "/v1/keys/note", { value: "a private value", scope: "user" });
		const shows = async (token: string, type: string) => "payload" in (await findEvent(service, token, type));
		assert.equal((await ask(starter, "GET", `/v1/triggerinstances/${id}`)).status, 403);
		assert.equal((await ask(observer, "GET", `/v1/triggerinstances/${id}`)).status, 200);
		const hook = "core.svc.webhook";
		assert.deepEqual([await shows(starter, hook), await shows(watcher, hook)], [false, false]);
		assert.deepEqual([await shows(observer, hook), await shows(root, hook)], [true, true]);
		const item = "core.svc.key_value_pair.create";
		assert.deepEqual([await shows(starter, item), await shows(watcher, item), await shows(observer, item)], [false, false, false]);
		assert.deepEqual([await shows(bea, item), await shows(root, item)], [true, true]);
		const event = String((await findEvent(service, root, item))["id"]);
		assert.ok(!("payload" in (await ask(observer, "GET", `/v1/triggerinstances/${event}`)).body));
	}),
);

test(
	"the test of a rule is no way to the payload of an event",
	guarded(async (service, root) => {
		const { ask, signIn } = service;
		const id = await receive(service, root);
		const tester = await signIn("rule_tester");
		const rule = {
			name: "echo",
			pack: "default",
			trigger: { type: "core.svc.webhook", parameters: { url: "disk" } },
			action: { ref: "default.speak", parameters: { pin: "{{ trigger.body.said }}" } },
		};
		const denied = await ask(tester, "POST", "/v1/rules/test", { rule, trigger_instance: id });
		assert.equal(denied.status, 403);
		assert.match(String(denied.body["faultstring"]), /trigger_instance_view/);
		const own = { trigger: "core.svc.webhook", payload: { body: { said: "mine" } } };
		assert.equal((await ask(tester, "POST", "/v1/rules/test", { rule, trigger_instance: own })).status, 200);
		assert.equal((await ask(root, "POST", "/v1/rules/test", { rule, trigger_instance: id })).status, 200);
	}),
);

test(
	"a rule hands its author no result and no item that the author may not see",
	guarded(async ({ ask, signIn, run }, root) => {
		const [bea, insider, tester] = [await signIn("bea"), await signIn("insider"), await signIn("rule_tester")];
		const makeRule = async (token: string, name: string, type: string, criteria: object) => {
			const action = { ref: "default.speak", parameters: { pin: "{{ trigger }}" } };
			const { status } = await ask(token, "POST", "/v1/rules", {
				name,
				pack: "default",
				enabled: true,
				trigger: { type },
				criteria,
				action,
			});
			assert.equal(status, 201, name);
		};
		const whispers = { "trigger.action_ref": { type: "equals", pattern: "default.whisper" } };
		for (const [name, token] of Object.entries({ insider, tester })) {
			await makeRule(token, `result_for_${name}`, "core.svc.generic.actiontrigger", whispers);
		}
		for (const [name, token] of Object.entries({ bea, insider })) {
			await makeRule(token, `item_for_${name}`, "core.svc.key_value_pair.create", {});
		}
		await run(root, "default.whisper");
		await ask(bea, "PUT", "/v1/keys/note", { value: "a private value", scope: "user" });
		const acted = async () => {
			const { body } = await ask(root, "GET", "/v1/ruleenforcements");
			return (body as unknown as { rule: { ref: string } }[]).map(({ rule }) => rule.ref).sort();
		};
		await until("both rules that may to act", 30, async () => ((await acted()).length >= 2 ? true : undefined));
		const events = async () => (await ask(root, "GET", "/v1/triggerinstances?status=pending,processing")).body as unknown as Rows;
		await until("all events to be processed", 30, async () => ((await events()).length === 0 ? true : undefined));
		assert.deepEqual(await acted(), ["default.item_for_bea", "default.result_for_insider"]);
	}),
);

test(
	"a timer needs the right to timers, also when another trigger becomes one",
	guarded(async ({ ask, signIn }, root) => {
		const [clockmaker, maker] = [await signIn("clockmaker"), await signIn("event_maker")];
		const timer = { type: "core.svc.IntervalTimer", pack: "default", parameters: { unit: "weeks", delta: 1 } };
		const schema = { type: "object", properties: { number: { type: "integer" } } };
		await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "counted", parameters_schema: schema });
		const plain = { type: "default.counted", parameters: { number: 1 } };
		const make = (token: string, body: object) => ask(token, "POST", "/v1/triggers", body);
		assert.equal((await make(maker, timer)).status, 403);
		assert.equal((await make(clockmaker, plain)).status, 403);
		const own = (await make(maker, plain)).body["ref"];
		assert.equal((await ask(maker, "PUT", `/v1/triggers/${String(own)}`, { ...timer })).status, 403);
		assert.equal((await ask(maker, "PUT", `/v1/triggers/${String(own)}`, { ...plain, parameters: { number: 2 } })).status, 200);
		assert.equal((await ask(maker, "PUT", `/v1/triggers/${String(own)}`, { ...plain, pack: "site" })).status, 403);
		const made = (await make(clockmaker, timer)).body["ref"];
		assert.equal((await ask(maker, "DELETE", `/v1/triggers/${String(made)}`)).status, 403);
		assert.equal((await ask(clockmaker, "DELETE", `/v1/triggers/${String(made)}`)).status, 204);
		assert.equal((await ask(maker, "DELETE", `/v1/triggers/${String(own)}`)).status, 204);
	}),
);

test(
	"whoever may send to a webhook is not shown by a replay what others have sent",
	guarded(async (service, root) => {
		const { ask, signIn } = service;
		await receive(service, root);
		const [delivery] = (await ask(root, "GET", "/v1/webhook_deliveries")).body as unknown as Rows;
		const replay = (token: string) => ask(token, "POST", `/v1/webhook_deliveries/${String(delivery?.["id"])}/replay`);
		const sent = await replay(await signIn("hook_sender"));
		assert.equal(sent.status, 202);
		assert.ok(!JSON.stringify(sent.body).includes("a payload"), JSON.stringify(sent.body));
		assert.match(JSON.stringify((await replay(root)).body), /a payload/);
	}),
);

test("with access control off whoever signs in does all of it, and a scoped key what its scopes say", () =>
	withGuardedService(
		async (service) => {
			const { ask, signIn, urls } = service;
			const ann = await signIn("ann");
			const id = await receive(service, ann);
			assert.ok("payload" in (await ask(ann, "GET", `/v1/triggerinstances/${id}`)).body);
			const statusWith = async (scopes: readonly string[]) => {
				const { body } = await ask(ann, "POST", "/v1/apikeys", { scopes });
				return (await fetch(`${urls.api}/v1/triggerinstances/${id}`, { headers: { "svc-api-key": String(body["key"]) } })).status;
			};
			assert.equal(await statusWith(["webhook:disk"]), 403);
			assert.equal(await statusWith(["trigger_instance_view"]), 200);
		},
		{ rbac: { enable: false } },
	));

test.run();
