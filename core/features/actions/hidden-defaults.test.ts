import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const rbac = {
	roles: [
		{
			name: "editor",
			permission_grants: [{ resource_uid: "pack:default", permission_types: ["action_view", "action_modify", "action_create"] }],
		},
	],
	assignments: [{ username: "ed", roles: ["editor"] }],
};

test("a masked default of a secret is kept beside what it goes to now, and by administrators beside anything", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const [root, ed] = [await signIn("root"), await signIn("ed")];
			const pin = { type: "string", secret: true, default: "kept-default" };
			await ask(root, "POST", "/v1/actions", { name: "told", runner_type: "speak", parameters: { pin, text: { type: "string" } } });
			const { body: shown } = await ask(ed, "GET", "/v1/actions/default.told");
			assert.equal((shown["parameters"] as { pin: { default: string } }).pin.default, "********");
			const put = async (token: string, change: object) =>
				(await ask(token, "PUT", "/v1/actions/default.told", { ...shown, ...change })).status;
			const parameters = shown["parameters"] as object;
			for (const change of [
				{ entry_point: "other.sh" },
				{ parameters: { ...parameters, text: { type: "string", default: "{{ pin }}" } } },
				{ parameters: { ...parameters, more: { type: "string", immutable: true, default: "{{ pin }}" } } },
				{ notify: { "on-complete": { routes: ["log"], message: "{{ action_parameters.pin }}" } } },
				{ output_schema: { type: "object" } },
				{ runner_type: "other" },
			]) {
				assert.equal(await put(ed, change), 400, JSON.stringify(change));
			}
			// What does not decide where the secret goes changes as before, and so does everything beside a new secret.
			assert.equal(await put(ed, { description: "tells", enabled: false, tags: [{ name: "a", value: "b" }] }), 200);
			const stored = async () =>
				((await ask(root, "GET", "/v1/actions/default.told?show_secrets=true")).body["parameters"] as { pin: { default: string } }).pin;
			assert.equal((await stored()).default, "kept-default");
			assert.equal(await put(root, { entry_point: "other.sh" }), 200);
			assert.equal((await stored()).default, "kept-default");
			const anew = { pin: { ...pin, default: "a new one" }, text: { type: "string", default: "{{ pin }}" } };
			assert.equal(await put(ed, { entry_point: "third.sh", parameters: anew }), 200);
			assert.equal((await stored()).default, "a new one");
		},
		{ rbac },
	));

test.run();
