import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

/** Stands nowhere by chance. */
const limit = "limit-of-the-system";
const pin = "pin-of-the-rule";
const rule = (name: string, parameters: object = {}, enabled = true) => ({
	name,
	enabled,
	trigger: { type: "default.happened" },
	action: { ref: "default.told", parameters },
});
const reading = { text: "{{ svckv.system.limit }}" };
const on = (resource_uid: string, ...permission_types: string[]) => ({ resource_uid, permission_types });

const rbac = {
	roles: [
		{
			name: "editor",
			permission_grants: [on("pack:default", "rule_create", "rule_modify", "rule_view"), on("action:default:told", "action_execute")],
		},
		{ name: "writer", permission_grants: [on("action:default:told", "action_modify")] },
	],
	assignments: [
		{ username: "ann", roles: ["editor"] },
		{ username: "wil", roles: ["writer"] },
	],
};

interface Authors extends GuardedService {
	readonly root: string;
	readonly ann: string;
	/** Let the rules act; parameters of the executions that they started, and why they could not act. */
	happen(): Promise<{ readonly parameters: readonly unknown[]; readonly failures: readonly string[] }>;
}

const action = (definition: object = {}) => ({
	name: "told",
	runner_type: "speak",
	parameters: { text: { type: "string", ...definition } },
});

function withAuthors(run: (service: Authors) => Promise<void>): Promise<void> {
	return withGuardedService(
		async (service) => {
			const { ask, signIn } = service;
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			for (const [method, path, body] of [
				["POST", "/v1/actions", action()],
				["POST", "/v1/triggertypes", { pack: "default", name: "happened" }],
				["PUT", "/v1/keys/limit", { name: "limit", value: limit }],
			] as const) {
				assert.ok((await ask(root, method, path, body)).status < 300, path);
			}
			const list = async (path: string) => (await ask(root, "GET", path)).body as unknown as Record<string, unknown>[];
			await run({
				...service,
				root,
				ann,
				async happen() {
					const event = { trigger: "default.happened", payload: {} };
					const { id } = (await list("/v1/triggerinstances?limit=1&trigger=default.happened"))[0] ?? {};
					assert.equal((await ask(root, "POST", "/v1/webhooks/svc", event)).status, 202);
					let instance: Record<string, unknown> | undefined;
					while (instance?.["status"] !== "processed" || instance["id"] === id) {
						[instance] = await list("/v1/triggerinstances?limit=1&trigger=default.happened");
					}
					const enforcements = await list(`/v1/ruleenforcements?trigger_instance=${String(instance["id"])}`);
					const ids = enforcements.flatMap(({ execution_id }) => (execution_id === undefined ? [] : String(execution_id)));
					const executions = await Promise.all(ids.map((execution) => ended(service, root, execution)));
					const succeeded = executions.filter(({ status }) => status === "succeeded");
					return {
						parameters: succeeded.map(({ parameters }) => parameters),
						failures: [
							...enforcements.flatMap(({ failure_reason }) => (failure_reason === undefined ? [] : String(failure_reason))),
							...executions.flatMap(({ status, result }) => (status === "succeeded" ? [] : JSON.stringify(result))),
						],
					};
				},
			});
		},
		{ rbac },
	);
}

async function ended({ ask, urls }: GuardedService, root: string, id: string): Promise<Record<string, unknown>> {
	await (await fetch(`${urls.stream}/executions/${id}/output`, { headers: { "x-auth-token": root } })).text();
	return (await ask(root, "GET", `/v1/executions/${id}`)).body;
}

test("whoever changes a rule is its author: its templates read what this user may view", () =>
	withAuthors(async ({ ask, root, ann, happen }) => {
		assert.equal((await ask(root, "POST", "/v1/rules", rule("watch", reading))).status, 201);
		assert.deepEqual((await happen()).parameters, [{ text: limit }]);
		const changed = await ask(ann, "PUT", "/v1/rules/default.watch", { ...rule("watch", reading), description: "mine" });
		assert.equal(changed.status, 200);
		assert.equal((changed.body["context"] as Record<string, string>)["user"], "ann");
		const refused = await happen();
		assert.deepEqual(refused.parameters, []);
		assert.match(refused.failures[0] ?? "", /"ann" does not have the permission "key_value_pair_view"/);
		assert.ok(!JSON.stringify(refused).includes(limit));
		await ask(ann, "PUT", "/v1/rules/default.watch", rule("watch", { text: "fine" }));
		assert.deepEqual((await happen()).parameters, [{ text: "fine" }]);
		await ask(root, "PUT", "/v1/rules/default.watch", rule("watch", reading));
		assert.deepEqual((await happen()).parameters, [{ text: limit }]);
	}));

test("switching a rule on makes its author, too", () =>
	withAuthors(async ({ ask, root, ann, happen }) => {
		await ask(root, "POST", "/v1/rules", rule("watch", reading, false));
		assert.equal((await ask(ann, "PUT", "/v1/rules/default.watch", rule("watch", reading))).status, 200);
		assert.deepEqual((await happen()).parameters, []);
	}));

test("templates of an action read for the author of the rule that starts it, and not for the system", () =>
	withAuthors(async ({ ask, signIn, root, ann, happen }) => {
		const wil = await signIn("wil");
		const changed = await ask(wil, "PUT", "/v1/actions/default.told", action({ default: reading.text }));
		assert.equal(changed.status, 200);
		await ask(ann, "POST", "/v1/rules", rule("anns"));
		const refused = await happen();
		assert.deepEqual(refused.parameters, []);
		assert.match(refused.failures.join(), /"ann" does not have the permission "key_value_pair_view"/);
		await ask(root, "PUT", "/v1/rules/default.anns", rule("anns"));
		assert.deepEqual((await happen()).failures, []);
	}));

test("a hidden value of a rule is kept for whoever leaves what stands beside it", () =>
	withAuthors(async ({ ask, root, ann }) => {
		await ask(root, "POST", "/v1/rules", rule("watch", { text: "a", pin }));
		const { body: shown } = await ask(ann, "GET", "/v1/rules/default.watch");
		const hidden = (shown["action"] as { parameters: Record<string, string> }).parameters;
		assert.deepEqual(hidden, { text: "a", pin: "********" });
		const put = async (token: string, parameters: object) =>
			(await ask(token, "PUT", "/v1/rules/default.watch", rule("watch", parameters))).status;
		assert.equal(await put(ann, { ...hidden, text: "{{ pin }}" }), 400);
		assert.equal(await put(ann, { ...hidden, more: "{{ pin }}" }), 400);
		assert.equal(await put(ann, hidden), 200);
		assert.equal(await put(ann, { ...hidden, text: "{{ pin }}" }), 400, "also as the author");
		assert.equal(await put(root, { ...hidden, text: "b" }), 200);
		const stored = (await ask(root, "GET", "/v1/rules/default.watch?show_secrets=true")).body["action"];
		assert.deepEqual((stored as { parameters: object }).parameters, { text: "b", pin });
		assert.equal(await put(ann, { text: "c", pin: "another" }), 200);
	}));

test.run();
