// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { stringify } from "yaml";
import { defineRunner } from "../../contract/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const token = "canary-of-the-pack";
const literal = "canary-of-the-action";
const kept = "canary-of-the-first-run";
const item = "canary-of-the-datastore";

/** Its result is the text it was given, and how long the secret is, which shows that it has one. */
const tell = defineRunner("tell", () => ({
	description: "Tells what it was given.",
	capabilities: {},
	parameters: { text: { type: "string" } },
	async run({ runnerParameters: { text }, actionParameters }) {
		const lengths = Object.entries(actionParameters).map(([name, value]) => [name, String(value ?? "").length]);
		return { succeeded: true, result: { text: text ?? null, ...Object.fromEntries(lengths) } };
	},
}));

/** Its result is how long the secret is that an expression of its run reads. */
const evaluate = defineRunner("evaluate", () => ({
	description: "Evaluates an expression.",
	capabilities: {},
	parameters: { text: { type: "string" } },
	async run({ expressions }) {
		const value = await expressions.evaluate("<% svckv('system.pin', decrypt => true) %>", { variables: {}, names: {} });
		return { succeeded: true, result: { read: String(value).length } };
	},
}));

const fetchAction = {
	name: "fetch",
	runner_type: "tell",
	parameters: {
		url: { type: "string", default: "http://{{ config_context.host }}/" },
		token: { type: "string", secret: true, default: "{{ config_context.token }}" },
		header: { type: "string", default: "{{ token | upper }}" },
		stored: { type: "string", default: "{{ svckv.system.pin | decrypt_kv }}" },
		pin: { type: "string", secret: true, default: literal },
		colour: { type: "string", default: "red" },
	},
};
const loginAction = {
	name: "login",
	runner_type: "tell",
	parameters: {
		url: { type: "string" },
		password: { type: "string", secret: true },
		account: { type: "object", properties: { user: { type: "string" }, password: { type: "string", secret: true } } },
	},
};
const packs = {
	"vault/pack.yaml": stringify({ ref: "vault", name: "vault", description: "Secrets.", version: "1.0.0", author: "somebody" }),
	"vault/config.schema.yaml": stringify({ host: { type: "string" }, token: { type: "string", secret: true } }),
	"vault/actions/fetch.yaml": stringify(fetchAction),
	"vault/actions/login.yaml": stringify(loginAction),
	"vault/actions/evaluate.yaml": stringify({ name: "evaluate", runner_type: "evaluate" }),
	"vault/rules/call.yaml": stringify({
		name: "call",
		description: "Part of the pack.",
		enabled: true,
		trigger: { type: "vault.called" },
		action: { ref: "vault.fetch", parameters: { text: "{{ config_context.host }} {{ trigger.n }}" } },
	}),
	"vault/triggers/called.yaml": stringify({ name: "called", pack: "vault" }),
};
const view = { resource_uid: "key_value_pair:svckv.system:pin", permission_types: ["key_value_pair_view" as const] };
const execute = { resource_uid: "pack:vault", permission_types: ["action_execute" as const, "action_view" as const] };
const rbac = {
	roles: [
		{ name: "starter", permission_grants: [execute, view] },
		{
			name: "author",
			permission_grants: [
				execute,
				view,
				{ resource_uid: "pack:default", permission_types: ["rule_create" as const] },
				{ resource_uid: "trigger_type:vault:called", permission_types: ["trigger_instance_view" as const] },
				{ resource_uid: "rule:default:nosy", permission_types: ["rule_all" as const] },
			],
		},
	],
	assignments: [
		{ username: "maria", roles: ["starter"] },
		{ username: "otto", roles: ["starter"] },
		{ username: "rita", roles: ["author"] },
	],
};

interface Asked extends GuardedService {
	readonly root: string;
	/** Result of an execution as an administrator sees it with secrets, or what was answered instead. */
	result(answer: { readonly status: number; readonly body: Readonly<Record<string, unknown>> }): Promise<Readonly<Record<string, unknown>>>;
	start(
		user: string,
		action: string,
		parameters: object,
	): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>;
}

const withVault = (use: (asked: Asked) => Promise<void>, enable = true) =>
	withGuardedService(
		async (service) => {
			const { ask, signIn, urls } = service;
			const root = await signIn("root");
			assert.equal((await ask(root, "PUT", "/v1/configs/vault", { host: "example.org", token })).status, 200);
			await ask(root, "PUT", "/v1/keys/pin", { value: item, secret: true });
			await use({
				...service,
				root,
				start: async (user, action, parameters) => ask(await signIn(user), "POST", "/v1/executions", { action, parameters }),
				async result({ status, body }) {
					if (status !== 201) return body;
					await (await fetch(`${urls.stream}/executions/${String(body["id"])}/output`, { headers: { "x-auth-token": root } })).text();
					const { body: ended } = await ask(root, "GET", `/v1/executions/${String(body["id"])}?show_secrets=true`);
					return ended["result"] as Readonly<Record<string, unknown>>;
				},
			});
		},
		{ rbac: { ...rbac, enable }, runners: [tell(), evaluate()], packs },
	);

const secrets = [token, literal, kept, item].flatMap((secret) => [secret, secret.toUpperCase(), Buffer.from(secret).toString("base64")]);
function assertHidden(answer: unknown, note: string): void {
	const text = JSON.stringify(answer);
	for (const secret of secrets) assert.ok(!text.includes(secret), `${note}: ${text}`);
}

test("an action has its pack's secrets, and its caller what is open of it", () =>
	withVault(async ({ start, result }) => {
		const told = await result(await start("maria", "vault.fetch", { text: "{{ url }} {{ colour }} {{ action_context.user }}" }));
		assert.deepEqual(told, {
			text: "http://example.org/ red maria",
			url: "http://example.org/".length,
			token: token.length,
			header: token.length,
			stored: item.length,
			pin: literal.length,
			colour: 3,
		});
		// What one has given oneself may stand in what else one gives.
		const own = await result(
			await start("maria", "vault.fetch", { pin: "mine", token: "my-own", text: "{{ pin }} {{ token }} {{ header }}" }),
		);
		assert.equal(own["text"], "mine my-own MY-OWN");
	}));

test("templates of a caller read no secret of the action or its pack, however they name it", () =>
	withVault(async ({ start, result }) => {
		for (const text of [
			"{{ config_context.token }}",
			"{{ config_context }}",
			"{{ __context.config_context.token }}",
			"{{ __context }}",
			"{{ token }}",
			"{{ token[0] }}{{ token[1:] }}",
			"{{ pin | upper }}",
			"{{ header }}",
			"{{ stored }}",
			"{{ token | default('none') }}",
			"{% if token == 'x' %}yes{% else %}no{% endif %}",
			"{{ [token] | join }}",
		]) {
			const answer = await start("maria", "vault.fetch", { text });
			if (text !== "{{ __context }}" && text !== "{{ __context.config_context.token }}") assert.equal(answer.status, 400, text);
			assertHidden(await result(answer), text);
		}
		// In a parameter of another kind, and through one that is given as well.
		assertHidden(await result(await start("maria", "vault.fetch", { colour: "{{ pin }}", text: "{{ colour }}" })), "through another");
		assertHidden(await result(await start("maria", "vault.fetch", { url: "{{ config_context.token }}", text: "{{ url }}" })), "url");
		// What a template makes of a value is no template.
		assertHidden(await result(await start("maria", "vault.fetch", { text: "{{ '{{ token }}' }}" })), "twice");
	}));

test("administrators may use the configuration in what they give, and with access control off everybody is one", async () => {
	for (const enable of [true, false]) {
		await withVault(async ({ start, result }) => {
			const told = await result(await start(enable ? "root" : "maria", "vault.fetch", { text: "{{ config_context.host }}" }));
			assert.equal(told["text"], "example.org");
		}, enable);
	}
});

test("rules of a pack read its configuration, those of authors without rights on it do not", () =>
	withVault(async ({ ask, signIn, root }) => {
		const rita = await signIn("rita");
		const rule = { name: "nosy", trigger: { type: "vault.called" }, enabled: true };
		const action = { ref: "vault.fetch", parameters: { text: "{{ config_context.token }}", colour: "{{ trigger.n }}" } };
		assert.equal((await ask(rita, "POST", "/v1/rules", { ...rule, action })).status, 201);
		await ask(root, "POST", "/v1/webhooks/svc", { trigger: "vault.called", payload: { n: "7" } });
		const ended = await until(async () => {
			const { body } = await ask(root, "GET", "/v1/executions?show_secrets=true&action=vault.fetch");
			const all = body as unknown as readonly Readonly<Record<string, unknown>>[];
			return all.length === 2 && all.every(({ status }) => status === "succeeded" || status === "failed") ? all : undefined;
		});
		const [failed, succeeded] = ["failed", "succeeded"].map((status) => ended.find((execution) => execution["status"] === status));
		assert.equal((succeeded?.["parameters"] as Readonly<Record<string, unknown>> | undefined)?.["text"], "example.org 7");
		assert.equal((failed?.["rule"] as Readonly<Record<string, unknown>> | undefined)?.["name"], "nosy");
		assertHidden([failed?.["parameters"], failed?.["result"]], "nosy");
	}));

/** Start `vault.fetch`, or another action, with a new key of maria that has these scopes. */
async function createSender({ ask, root, urls }: Asked, ...scopes: string[]) {
	const { body } = await ask(root, "POST", "/v1/apikeys", { user: "maria", scopes });
	return async (parameters: object, rest: object = {}) => {
		const response = await fetch(`${urls.api}/v1/executions`, {
			method: "POST",
			headers: { "svc-api-key": String(body["key"]), "content-type": "application/json" },
			body: JSON.stringify({ action: "vault.fetch", parameters, ...rest }),
		});
		return { status: response.status, body: (await response.json()) as Record<string, unknown> };
	};
}

test("a key with scopes reads by the templates of an action and by expressions of a run no more than they allow", () =>
	withVault(async (asked) => {
		const { result } = asked;
		const [narrow, wide] = [
			await createSender(asked, "action_execute"),
			await createSender(asked, "action_execute", "key_value_pair_view"),
		];
		assert.equal((await result(await wide({ text: "plain" })))["stored"], item.length);
		const refused = await result(await narrow({ text: "plain" }));
		assert.match(JSON.stringify(refused), /does not have the permission .*key_value_pair_view/);
		assertHidden(refused, "own template");
		assert.deepEqual(await result(await wide({ text: "plain" }, { action: "vault.evaluate" })), { read: item.length });
		const unread = await result(await narrow({ text: "plain" }, { action: "vault.evaluate" }));
		assert.match(JSON.stringify(unread), /does not have the permission .*key_value_pair_view/);
		assert.equal((await result(await narrow({ text: "plain" }, { action: "vault.login" })))["text"], "plain");
	}));

test("a key with scopes reads by templates that it gives no more than they allow", () =>
	withVault(async (asked) => {
		const { result } = asked;
		const send = await createSender(asked, "action_execute");
		assert.equal((await result(await send({ text: "plain" }, { action: "vault.login" })))["text"], "plain");
		assertHidden(await result(await send({ text: "{{ svckv.system.pin | decrypt_kv }}" }, { action: "vault.login" })), "scopes");
	}));

test("a key with scopes gives templates to a notification, which read no more than the scopes allow", () =>
	withVault(async (asked) => {
		const { ask, root, result } = asked;
		const kinds = { narrow: ["action_execute"], wide: ["action_execute", "key_value_pair_view"] };
		for (const [name, scopes] of Object.entries(kinds)) {
			const send = await createSender(asked, ...scopes);
			const data = {
				text: "{{ action_parameters.text }}",
				name,
				pin: "{{ svckv.system.pin | decrypt_kv }}",
				secret: "{{ action_parameters.password }}",
			};
			const notify = { "on-complete": { message: "done", data, routes: ["log"] } };
			await result(await send({ text: "plain", password: kept }, { action: "vault.login", notify }));
		}
		const told = await until(async () => {
			const { body } = await ask(root, "GET", "/v1/triggerinstances?trigger=core.svc.generic.notifytrigger");
			const all = body as unknown as readonly { readonly payload: { readonly data: Readonly<Record<string, string>> } }[];
			return all.length > 1 ? all.map(({ payload }) => payload.data) : undefined;
		});
		const narrow = told.find(({ name }) => name === "narrow");
		assert.deepEqual([narrow?.["text"], narrow?.["pin"]], ["plain", "{{ svckv.system.pin | decrypt_kv }}"]);
		assertHidden(told, "notification");
	}));

test("notifications that a request asks for show no secret of the action", () =>
	withVault(async ({ ask, signIn, root, result }) => {
		const message = "{{ action_parameters.token }}";
		const notify = { "on-complete": { message, data: { text: "{{ action_parameters.text }}" }, routes: ["log"] } };
		const started = await ask(await signIn("maria"), "POST", "/v1/executions", {
			action: "vault.fetch",
			parameters: { text: "open" },
			notify,
		});
		await result(started);
		const [instance] = await until(async () => {
			const { body } = await ask(root, "GET", "/v1/triggerinstances?trigger=core.svc.generic.notifytrigger");
			const all = body as unknown as readonly Readonly<Record<string, unknown>>[];
			return all.length > 0 ? all : undefined;
		});
		assert.match(JSON.stringify(instance), /"text":"open"/);
		assertHidden(instance, "notification");
	}));

test("somebody else runs an execution again as it was, secrets included, and cannot read them or send them elsewhere", () =>
	withVault(async ({ ask, signIn, start, result }) => {
		const account = { user: "maria", password: `${kept}-inner` };
		const first = await start("maria", "vault.login", { url: "http://example.org", password: kept, account });
		await result(first);
		const path = `/v1/executions/${String(first.body["id"])}/re_run`;
		const otto = await signIn("otto");
		for (const parameters of [{}, { password: "********", url: "http://example.org" }]) {
			const again = await result(await ask(otto, "POST", path, { parameters }));
			assert.equal(again["password"], kept.length);
		}
		for (const parameters of [
			{ text: "{{ password }}" },
			{ text: "{{ password | upper }}" },
			{ text: "{{ account.password }}" },
			{ url: "http://attacker.example" },
			{ url: "{{ password }}" },
			{ account: { user: "{{ password }}", password: "********" } },
			{ account: { user: "otto", password: "********" }, text: "{{ account.password }}" },
			{ password: "mine", text: "{{ account.password }}" },
		]) {
			const answer = await ask(otto, "POST", path, { parameters });
			assert.equal(answer.status, 400, JSON.stringify(parameters));
			assertHidden(answer, JSON.stringify(parameters));
		}
		assert.equal((await ask(otto, "POST", `${path}?no_merge=true`, { parameters: { password: "********" } })).status, 400);
		const given = { password: "ottos", account: { user: "otto", password: "ottos" }, text: "{{ password }}" };
		assert.equal((await result(await ask(otto, "POST", path, { parameters: given })))["text"], "ottos");
	}));

test("whoever started it may run it with other parameters, and reads kept secrets by no template either", () =>
	withVault(async ({ ask, signIn, start, result }) => {
		const first = await start("maria", "vault.fetch", { text: "one" });
		await result(first);
		const path = `/v1/executions/${String(first.body["id"])}/re_run`;
		const maria = await signIn("maria");
		const again = await result(await ask(maria, "POST", path, { parameters: { text: "two" } }));
		assert.deepEqual([again["text"], again["token"]], ["two", token.length]);
		// They are what the configuration had, kept with the first run.
		for (const text of ["{{ token }}", "{{ header }}", "{{ stored }}", "{{ config_context.token }}"]) {
			const answer = await ask(maria, "POST", path, { parameters: { text } });
			assert.equal(answer.status, 400, text);
			assertHidden(answer, text);
		}
	}));

test("a secret is not kept for an action that does not call it one any more, nor in a text without it", () =>
	withVault(async ({ ask, root, result }) => {
		const parameters = { password: { type: "string", secret: true } };
		await ask(root, "POST", "/v1/actions", { name: "enter", runner_type: "tell", parameters });
		const request = { action: "default.enter", parameters: { password: kept, text: "login {{ password }}" } };
		const first = await ask(root, "POST", "/v1/executions", request);
		await result(first);
		const path = `/v1/executions/${String(first.body["id"])}/re_run`;
		assert.equal((await ask(root, "POST", path, {})).status, 201);
		const other = await ask(root, "POST", path, { parameters: { password: "new" } });
		assert.deepEqual([other.status, /"text"/.test(String(other.body["faultstring"]))], [400, true]);
		const both = await ask(root, "POST", path, { parameters: { password: "new", text: "login" } });
		assert.equal(both.status, 201);
		await ask(root, "PUT", "/v1/actions/default.enter", {
			name: "enter",
			runner_type: "tell",
			parameters: { password: { type: "string" } },
		});
		const shown = await ask(root, "POST", path, {});
		assert.equal(shown.status, 400);
		assertHidden(shown, "open");
	}));

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
	for (;;) {
		const found = await look();
		if (found !== undefined) return found;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

test.run();
