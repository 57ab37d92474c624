import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const limit = "limit-of-the-system";
const writing = ["rule_create", "rule_modify", "rule_view", "action_execute"];
const reading = { text: "{{ svckv.system.limit }}" };
const rule = (name: string, parameters: object, more: object = {}) => ({
	...{ name, enabled: true, trigger: { type: "default.happened" }, action: { ref: "default.told", parameters } },
	...more,
});
const told = (more: object = {}) => ({ name: "told", runner_type: "speak", parameters: { text: { type: "string", ...more } } });

interface Scoped extends GuardedService {
	readonly root: string;
	/** Sends a request with a key of the administrator that has these scopes. Returns the status. */
	withKey(scopes: readonly string[], method: string, path: string, body?: object): Promise<number>;
	/** Lets the rule act. Returns the parameters of its execution, or why there are none. */
	act(rule: string): Promise<string>;
}

function withScoped(run: (service: Scoped) => Promise<void>, { hasRoles = true } = {}): Promise<void> {
	return withGuardedService(
		async (service) => {
			const { ask, signIn, urls } = service;
			const root = await signIn("root");
			await ask(root, "POST", "/v1/actions", told());
			await ask(root, "POST", "/v1/triggertypes", { pack: "default", name: "happened" });
			await ask(root, "PUT", "/v1/keys/limit", { name: "limit", value: limit });
			const list = async (path: string) => (await ask(root, "GET", path)).body as unknown as Record<string, unknown>[];
			const last = async () => (await list("/v1/triggerinstances?limit=1&trigger=default.happened"))[0];
			await run({
				...service,
				root,
				async withKey(scopes, method, path, body) {
					const key = String((await ask(root, "POST", "/v1/apikeys", { scopes })).body["key"]);
					const headers = { "svc-api-key": key, "content-type": "application/json" };
					return (await fetch(urls.api + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })).status;
				},
				async act(ref) {
					const before = (await last())?.["id"];
					await ask(root, "POST", "/v1/webhooks/svc", { trigger: "default.happened", payload: {} });
					const instance = await until("the event is processed", 60, async () => {
						const latest = await last();
						return latest?.["status"] === "processed" && latest["id"] !== before ? latest : undefined;
					});
					const found = await list(`/v1/ruleenforcements?trigger_instance=${String(instance["id"])}&rule_ref=${ref}`);
					const [{ execution_id: id, failure_reason: reason } = {}] = found;
					if (id === undefined) return String(reason);
					await (await fetch(`${urls.stream}/executions/${String(id)}/output`, { headers: { "x-auth-token": root } })).text();
					const { status, parameters, result } = (await ask(root, "GET", `/v1/executions/${String(id)}`)).body;
					return JSON.stringify(status === "succeeded" ? (parameters ?? {}) : result);
				},
			});
		},
		{ rbac: { enable: hasRoles } },
	);
}

const refusal = /^(?!.*limit-of-the-system).*root\\*" does not have the permission \\*"key_value_pair_view/;

test("a rule does no more than the scopes of the API key that it was written with", () =>
	withScoped(async ({ ask, root, withKey, act }) => {
		assert.equal(await withKey(["rule_create"], "POST", "/v1/rules", rule("a", {})), 403);
		assert.equal(await withKey(writing, "POST", "/v1/rules", rule("a", reading, { scopes: null })), 400);
		assert.equal(await withKey(writing, "POST", "/v1/rules", rule("a", reading)), 201);
		assert.match(await act("default.a"), refusal);

		assert.equal(await withKey([...writing, "key_value_pair_view"], "POST", "/v1/rules", rule("b", reading)), 201);
		assert.equal(await act("default.b"), JSON.stringify({ text: limit }));

		// What the action itself reads is read within the scopes, too.
		assert.equal(await withKey(writing, "PUT", "/v1/rules/default.a", rule("a", {})), 200);
		assert.equal(await act("default.a"), "{}");
		await ask(root, "PUT", "/v1/actions/default.told", told({ default: reading.text }));
		assert.match(await act("default.a"), refusal);
		assert.equal(await act("default.b"), JSON.stringify({ text: limit }));
		const { body } = await ask(root, "GET", "/v1/rules/default.a");
		assert.ok(!("scopes" in body));
	}));

test("the last change of a rule decides about its scopes, also one that only switches it", () =>
	withScoped(async ({ ask, root, withKey, act }) => {
		assert.equal((await ask(root, "POST", "/v1/rules", rule("a", reading))).status, 201);
		assert.equal(await act("default.a"), JSON.stringify({ text: limit }));
		for (const enabled of [false, true])
			assert.equal(await withKey(writing, "PUT", "/v1/rules/default.a", rule("a", reading, { enabled })), 200);
		assert.match(await act("default.a"), refusal);
		assert.equal((await ask(root, "PUT", "/v1/rules/default.a", rule("a", reading, { description: "again" }))).status, 200);
		assert.equal(await act("default.a"), JSON.stringify({ text: limit }));
	}));

for (const hasRoles of [true, false]) {
	test(`a rule is given only events that the scopes of its key may see, ${hasRoles ? "with" : "without"} access control`, () =>
		withScoped(
			async ({ ask, root, withKey, act }) => {
				const onItem = (name: string) => rule(name, {}, { trigger: { type: "core.svc.key_value_pair.create" } });
				const seeing = [...writing, "key_value_pair_view"];
				assert.equal(await withKey(writing, "POST", "/v1/rules", onItem("blind")), 201);
				assert.equal(await withKey(seeing, "POST", "/v1/rules", onItem("seeing")), 201);
				await ask(root, "PUT", "/v1/keys/fresh", { name: "fresh", value: "1" });
				// Events are handled in their order.
				await ask(root, "POST", "/v1/rules", rule("later", {}));
				await act("default.later");
				const enforced = async (name: string) =>
					((await ask(root, "GET", `/v1/ruleenforcements?rule_ref=default.${name}`)).body as unknown as object[]).length;
				await until("the rule is enforced", 60, async () => (await enforced("seeing")) > 0 || undefined);
				assert.equal(await enforced("blind"), 0);
			},
			{ hasRoles },
		));
}

test("a test of a rule reads within the scopes of its key", () =>
	withScoped(async ({ ask, root, withKey }) => {
		const tested = async (name: string) =>
			(
				await ask(root, "POST", "/v1/rules/test", {
					rule: `default.${name}`,
					trigger_instance: { trigger: "default.happened", payload: {} },
				})
			).body;
		await withKey(writing, "POST", "/v1/rules", rule("narrow", reading));
		await ask(root, "POST", "/v1/rules", rule("wide", reading));
		const [narrow, wide] = [await tested("narrow"), await tested("wide")];
		assert.match(JSON.stringify(narrow), refusal);
		assert.match(JSON.stringify(wide), new RegExp(limit));
	}));

test.run();
