import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "uvu";
import { injectTrigger } from "../../../plugins-runner/inject-trigger/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });
const roles = [
	{
		name: "sender",
		permission_grants: [
			on("webhook:signed", "webhook_send", "webhook_view"),
			on("webhook:svc", "webhook_send"),
			on("pack:default", "rule_create"),
			on("action:core:inject_trigger", "action_execute", "action_view"),
		],
	},
];
const rbac = { roles, assignments: [{ username: "ann", roles: ["sender"] }] };

const secret = "the secret of the hook";
const hooks = {
	signed: { url: "signed", signature: { scheme: "github", secret_keys: ["hook"] }, ledger: true },
	plain: { url: "plain" },
};
const sign = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

interface Hooked extends GuardedService {
	readonly root: string;
	readonly ann: string;
	/** Refs of the triggers of the two hooks, and of a timer. */
	readonly refs: { readonly signed: string; readonly plain: string; readonly timer: string };
	/** An API key of the administrator with these scopes, to send with. */
	createKey(...scopes: string[]): Promise<(trigger: string, payload?: object) => Promise<number>>;
	/** Send a body to a webhook. */
	post(headers: Record<string, string>, url: string, body: unknown): Promise<Response>;
	/** How many events of a trigger there are. */
	count(trigger: string): Promise<number>;
}

const hookPayload = { headers: {}, headers_lower: {}, body: { forged: true } };

function withHooks(run: (service: Hooked) => Promise<void>): Promise<void> {
	return withGuardedService(
		async (service) => {
			const { ask, signIn, urls } = service;
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const post: Hooked["post"] = (headers, url, body) =>
				fetch(`${urls.api}/v1/webhooks/${url}`, {
					method: "POST",
					headers: { "content-type": "application/json", ...headers },
					body: JSON.stringify(body),
				});
			const makeRule = async (name: string, trigger: object) => {
				const made = await ask(root, "POST", "/v1/rules", { name, trigger, action: { ref: "default.speak" } });
				assert.equal(made.status, 201);
				return String((made.body["trigger"] as Record<string, unknown>)["ref"]);
			};
			await ask(root, "PUT", "/v1/keys/hook", { name: "hook", value: secret, secret: true });
			await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "happened" });
			const refs = {
				signed: await makeRule("signed", { type: "core.svc.webhook", parameters: hooks.signed }),
				plain: await makeRule("plain", { type: "core.svc.webhook", parameters: hooks.plain }),
				timer: await makeRule("timer", { type: "core.svc.IntervalTimer", parameters: { unit: "weeks", delta: 1 } }),
			};
			await run({
				...service,
				root,
				ann,
				refs,
				post,
				async createKey(...scopes) {
					const { body } = await ask(root, "POST", "/v1/apikeys", { scopes });
					const headers = { "svc-api-key": String(body["key"]) };
					return async (trigger, payload = {}) => (await post(headers, "svc", { trigger, payload })).status;
				},
				async count(trigger) {
					const { body } = await ask(root, "GET", `/v1/triggerinstances?limit=-1&trigger=${trigger}`);
					return (body as unknown as readonly unknown[]).length;
				},
			});
		},
		{ rbac, runners: [injectTrigger()] },
	);
}

test("the trigger of a signed webhook comes through that webhook only, whoever names it", () =>
	withHooks(async ({ root, ann, refs, post, createKey, count }) => {
		const send = await createKey("webhook:svc", "webhook:signed");
		assert.equal(await send(refs.signed, hookPayload), 403);
		for (const token of [root, ann]) {
			const refused = await post({ "x-auth-token": token }, "svc", { trigger: refs.signed, payload: hookPayload });
			assert.equal(refused.status, 403);
			assert.match(await refused.text(), /signed webhook: only requests to \\"signed\\" dispatch it/);
		}
		assert.equal(await count(refs.signed), 0);
		const body = { n: 1 };
		const signature = { "x-hub-signature-256": sign(JSON.stringify(body)) };
		assert.equal((await post({ "x-auth-token": ann, ...signature }, "signed", body)).status, 202);
		assert.equal(await count(refs.signed), 1);
	}));

test("the trigger of a webhook without signature is for those who may post to it", () =>
	withHooks(async ({ refs, createKey, count }) => {
		const [one, both] = [await createKey("webhook:svc"), await createKey("webhook:svc", "webhook:plain")];
		assert.equal(await one(refs.plain, hookPayload), 403);
		assert.equal(await count(refs.plain), 0);
		assert.equal(await both(refs.plain, hookPayload), 202);
	}));

test("what the service itself tells of, only administrators dispatch; any other trigger, whoever may use the generic webhook", () =>
	withHooks(async ({ root, ann, refs, post, createKey, count }) => {
		const send = await createKey("webhook:svc");
		const own = [
			[refs.timer, { executed_at: "2030-01-01T00:00:00Z", schedule: {} }],
			["core.svc.generic.actiontrigger", { execution_id: "x", status: "succeeded" }],
			["core.svc.generic.notifytrigger", { route: "ops" }],
			["core.svc.generic.inquiry", { id: "x", route: "ops" }],
			["core.svc.action.file_written", { ref: "core.local" }],
			["core.svc.key_value_pair.create", { object: {} }],
			["core.svc.key_value_pair.update", { object: {} }],
			["core.svc.key_value_pair.value_change", { old_object: {}, new_object: {} }],
			["core.svc.key_value_pair.delete", { object: {} }],
			["core.svc.sensor.process_spawn", { id: "x" }],
			["core.svc.sensor.process_exit", { id: "x" }],
		] as const;
		for (const [trigger, payload] of own) {
			const before = await count(trigger);
			assert.equal(await send(trigger, payload), 403, trigger);
			assert.equal((await post({ "x-auth-token": ann }, "svc", { trigger, payload })).status, 403, trigger);
			assert.equal(await count(trigger), before, trigger);
			assert.equal((await post({ "x-auth-token": root }, "svc", { trigger, payload })).status, 202, trigger);
		}
		assert.equal(await send("default.happened", { a: 1 }), 202);
		assert.equal((await post({ "x-auth-token": ann }, "svc", { trigger: "default.happened", payload: {} })).status, 202);
		assert.equal(await count("default.happened"), 2);
	}));

test("an action that was started with a scoped key dispatches what the scopes of the key allow", () =>
	withHooks(async (service) => {
		const { ask, root, urls } = service;
		const { body: key } = await ask(root, "POST", "/v1/apikeys", { scopes: ["action_execute"] });
		const inject = async (headers: Record<string, string>, trigger: string, payload: object) => {
			const response = await fetch(`${urls.api}/v1/executions`, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body: JSON.stringify({ action: "core.inject_trigger", parameters: { trigger, payload } }),
			});
			return ended(service, String(((await response.json()) as Record<string, unknown>)["id"]));
		};
		const scoped = { "svc-api-key": String(key["key"]) };
		const inquiry = { id: "x", route: "ops" };
		assert.equal(await inject(scoped, "core.svc.generic.inquiry", inquiry), "failed");
		assert.equal(await inject({ "x-auth-token": root }, "core.svc.generic.inquiry", inquiry), "succeeded");
		assert.equal(await inject(scoped, "default.happened", {}), "succeeded");
	}));

test("an action dispatches what the one it runs for might, and one of a rule what the rule's author might", () =>
	withHooks(async (service) => {
		const { ask, root, ann, refs, post, count } = service;
		const inject = async (token: string, trigger: string, payload: object) => {
			const parameters = { trigger, payload };
			const { body } = await ask(token, "POST", "/v1/executions", { action: "core.inject_trigger", parameters });
			return ended(service, String(body["id"]));
		};
		const inquiry = { id: "x", route: "ops" };
		assert.equal(await inject(ann, refs.signed, hookPayload), "failed");
		assert.equal(await inject(root, refs.signed, hookPayload), "failed");
		assert.equal(await inject(ann, "core.svc.generic.inquiry", inquiry), "failed");
		assert.equal(await inject(root, "core.svc.generic.inquiry", inquiry), "succeeded");
		assert.equal(await inject(ann, "default.happened", {}), "succeeded");
		assert.equal(await count("core.svc.generic.inquiry"), 1);
		const action = { ref: "core.inject_trigger", parameters: { trigger: "core.svc.generic.inquiry", payload: inquiry } };
		for (const [token, name, status] of [
			[ann, "anns", "failed"],
			[root, "roots", "succeeded"],
		] as const) {
			await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: `for_${name}` });
			const rule = { name, enabled: true, trigger: { type: `default.for_${name}` }, action };
			assert.equal((await ask(token, "POST", "/v1/rules", rule)).status, 201);
			await post({ "x-auth-token": root }, "svc", { trigger: `default.for_${name}`, payload: {} });
			let execution: Record<string, unknown> | undefined;
			while (execution === undefined) {
				const list = (await ask(root, "GET", `/v1/executions?rule=${name}`)).body as unknown as Record<string, unknown>[];
				execution = list.find((record) => (record["rule"] as Record<string, unknown> | undefined)?.["name"] === name);
			}
			assert.equal(await ended(service, String(execution["id"])), status, name);
		}
	}));

async function ended({ ask, urls, root }: Hooked, id: string): Promise<unknown> {
	await (await fetch(`${urls.stream}/executions/${id}/output`, { headers: { "x-auth-token": root } })).text();
	return (await ask(root, "GET", `/v1/executions/${id}`)).body["status"];
}

test("a delivery that was refused stays refused, unless an administrator says otherwise by name", () =>
	withHooks(async ({ ask, root, ann, refs, post, count, log }) => {
		assert.equal((await post({ "x-auth-token": ann }, "signed", { forged: true })).status, 403);
		const list = async (verdict: string) =>
			(await ask(root, "GET", `/v1/webhook_deliveries?verdict=${verdict}`)).body as unknown as Record<string, unknown>[];
		const replay = async (token: string, id: unknown, query = "") =>
			ask(token, "POST", `/v1/webhook_deliveries/${String(id)}/replay${query}`);
		const refused = (await list("refused"))[0]?.["id"];
		for (const [token, query] of [
			[ann, ""],
			[ann, "?overrule=true"],
			[root, ""],
		] as const) {
			const { status, body } = await replay(token, refused, query);
			assert.equal(status, 403);
			assert.match(String(body["faultstring"]), /was refused: header X-Hub-Signature-256: is missing; /);
		}
		assert.equal(await count(refs.signed), 0);
		const { status, body } = await replay(root, refused, "?overrule=true");
		assert.deepEqual([status, body["verdict"]], [202, "overruled"]);
		assert.equal(await count(refs.signed), 1);
		assert.ok(
			log.some(
				(line) => line.includes("refusal of a webhook delivery overruled") && line.includes(String(refused)) && line.includes("root"),
			),
		);
		assert.equal((await replay(ann, body["id"])).status, 403, "what was overruled once is no delivery that has passed");
		const good = { n: 1 };
		await post({ "x-auth-token": ann, "x-hub-signature-256": sign(JSON.stringify(good)) }, "signed", good);
		const again = await replay(ann, (await list("accepted"))[0]?.["id"]);
		assert.deepEqual([again.status, again.body["verdict"]], [202, "replayed"]);
		assert.equal((await replay(ann, again.body["id"])).status, 202);
	}));

test.run();
