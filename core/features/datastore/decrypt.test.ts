import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner } from "../../contract/index.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const pin = "4711-canary-of-the-system";
const viewing = (...names: readonly string[]) =>
	names.map((name) => ({ resource_uid: `key_value_pair:svckv.system:${name}`, permission_types: ["key_value_pair_view" as const] }));
const telling = { resource_uid: "action:default:tell", permission_types: ["action_all" as const] };
const rbac = {
	roles: [
		{ name: "teller", permission_grants: [telling] },
		{ name: "reader", permission_grants: [telling, ...viewing("pin")] },
	],
	assignments: [
		{ username: "maria", roles: ["reader"] },
		{ username: "otto", roles: ["teller"] },
		{ username: "watch", roles: ["observer", "teller"] },
	],
};

/** Its result is what it was given. */
const tell = defineRunner("tell", () => ({
	description: "Tells what it was given.",
	capabilities: {},
	parameters: { text: { type: "string" } },
	run: async ({ runnerParameters }) => ({ succeeded: true, result: { text: runnerParameters.text ?? "" } }),
}));

interface Asked {
	readonly service: GuardedService;
	readonly root: string;
	readonly cipherText: string;
	/** What the action was run with, or the error. */
	told(user: string, text: string): Promise<string>;
}

const withSecretItem = (use: (asked: Asked) => Promise<void>, enable = true) =>
	withGuardedService(
		async (service) => {
			const { ask, signIn } = service;
			const root = await signIn("root");
			await ask(root, "POST", "/v1/actions", { name: "tell", runner_type: "tell" });
			await ask(root, "PUT", "/v1/keys/pin", { value: pin, secret: true });
			const { body } = await ask(root, "GET", "/v1/keys/pin?show_secrets=true");
			await use({
				service,
				root,
				cipherText: String(body["value"]),
				async told(user, text) {
					const token = await signIn(user);
					const started = await ask(token, "POST", "/v1/executions", { action: "default.tell", parameters: { text } });
					if (started.status !== 201) return String(started.body["faultstring"]);
					const id = String(started.body["id"]);
					await (await fetch(`${service.urls.stream}/executions/${id}/output`, { headers: { "x-auth-token": root } })).text();
					const { body: ended } = await ask(root, "GET", `/v1/executions/${id}?show_secrets=true`);
					return String((ended["result"] as Record<string, unknown>)["text"]);
				},
			});
		},
		{ rbac: { ...rbac, enable }, runners: [tell()] },
	);

test("templates decrypt items that their user may view, and the line in the log names the item", () =>
	withSecretItem(async ({ told, service: { log, ask, signIn }, cipherText }) => {
		assert.equal(await told("maria", "{{ svckv.system.pin | decrypt_kv }}"), pin);
		// Handed on as it is, it is still that item's.
		assert.equal(await told("maria", `{{ '${cipherText}' | decrypt_kv }}`), pin);
		assert.ok(
			log.some((line) => line.includes("datastore item decrypted") && line.includes('"user":"maria"') && line.includes('"key":"pin"')),
		);
		await ask(await signIn("otto"), "PUT", "/v1/keys/mine", { value: "of otto", scope: "user", secret: true });
		assert.equal(await told("otto", "{{ svckv.user.mine | decrypt_kv }}"), "of otto");
	}));

test("cipher text of an item that its user may not view is decrypted nowhere, whatever it comes in", () =>
	withSecretItem(async ({ told, service: { ask, signIn }, cipherText }) => {
		const otto = await signIn("otto");
		const own = { scope: "user" };
		await ask(otto, "PUT", "/v1/keys/plain", { value: cipherText, ...own });
		await ask(otto, "PUT", "/v1/keys/sealed", { value: cipherText, secret: true, ...own });
		assert.equal((await ask(otto, "PUT", "/v1/keys/loaded", { value: cipherText, encrypted: true, ...own })).status, 403);
		for (const text of [
			`{{ '${cipherText}' | decrypt_kv }}`,
			"{{ svckv.user.plain | decrypt_kv }}",
			"{{ svckv.user.sealed | decrypt_kv | decrypt_kv }}",
			"{{ svckv.system.pin | decrypt_kv }}",
		]) {
			const answer = await told("otto", text);
			assert.match(answer, /does not have the permission|not a ciphertext|not the ciphertext|cannot be|Failed/, text);
			assert.ok(!answer.includes(pin), text);
		}
		// With the name of the item exchanged it is no cipher text any more.
		const item = Buffer.from("svckv.user:otto:plain").toString("base64url");
		const moved = cipherText.split(".").with(2, item).join(".");
		assert.match(await told("otto", `{{ '${moved}' | decrypt_kv }}`), /integrity check/);
	}));

test("whoever sees everything masked decrypts nothing by a template", () =>
	withSecretItem(async ({ told }) => {
		assert.match(await told("watch", "{{ svckv.system.pin | decrypt_kv }}"), /does not have the permission/);
	}));

test("nobody decrypts an item of another user, with or without access control", async () => {
	for (const enable of [true, false]) {
		await withSecretItem(async ({ told, service: { ask, signIn } }) => {
			const maria = await signIn("maria");
			await ask(maria, "PUT", "/v1/keys/mine", { value: "of maria", scope: "user", secret: true });
			const { body } = await ask(await signIn("root"), "GET", "/v1/keys/mine?user=maria&show_secrets=true");
			const { body: own } = await ask(maria, "GET", "/v1/keys/mine?scope=user&show_secrets=true");
			const cipherText = String(enable ? body["value"] : own["value"]);
			assert.match(cipherText, /^svc2\./);
			assert.ok(!(await told("otto", `{{ '${cipherText}' | decrypt_kv }}`)).includes("of maria"));
			const otto = await signIn("otto");
			const loaded = { value: cipherText, encrypted: true, scope: "user" };
			assert.equal((await ask(otto, "PUT", "/v1/keys/mine", loaded)).status, 403);
			assert.equal((await ask(otto, "PUT", "/v1/keys/mine", { ...loaded, scope: "system" })).status, 403);
		}, enable);
	}
});

test("a test of a rule shows nothing decrypted, to observers and administrators alike, and lets nobody guess", () =>
	withSecretItem(async ({ service: { ask, signIn }, root }) => {
		await ask(root, "PUT", "/v1/keys/open", { value: "an open text" });
		await ask(root, "POST", "/v1/triggertypes", { name: "called", pack: "default" });
		const action = {
			ref: "default.tell",
			parameters: { text: "{{ svckv.system.open }}: {{ svckv.system.pin }} {{ svckv.system.pin | decrypt_kv }}" },
		};
		const rule = { name: "showing", trigger: { type: "default.called" }, action, enabled: false };
		const criteria = { "trigger.n": { type: "startswith", pattern: "{{ svckv.system.pin | decrypt_kv }}" } };
		assert.equal((await ask(root, "POST", "/v1/rules", rule)).status, 201);
		assert.equal((await ask(root, "POST", "/v1/rules", { ...rule, name: "guessing", criteria })).status, 201);
		const test = async (token: string, tested: string, n: string) => {
			const event = { trigger: "default.called", payload: { n } };
			return (await ask(token, "POST", "/v1/rules/test", { rule: `default.${tested}`, trigger_instance: event })).body;
		};
		const watch = await signIn("watch");
		for (const token of [watch, root]) {
			const { matched, parameters } = await test(token, "showing", "1");
			assert.deepEqual([matched, parameters], [true, { text: "an open text: ******** ********" }]);
		}
		for (const n of [pin, "wrong"]) {
			const guess = await test(watch, "guessing", n);
			assert.equal(guess["matched"], false);
			assert.match(String(guess["reason"]), /administrator/);
			assert.ok(!JSON.stringify(guess["failed"]).includes("canary") || n === pin);
		}
		assert.equal((await test(root, "guessing", pin))["matched"], true);
		const { matched, failed } = await test(root, "guessing", "wrong");
		assert.deepEqual([matched, (failed as Record<string, unknown>)["pattern"]], [false, "********"]);
	}));

test.run();
