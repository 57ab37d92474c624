import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createClient } from "../../../plugins/_shipped/client.ts";
import { isSvcError } from "../../contract/index.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const rbac = {
	roles: [
		{
			name: "hooker",
			permission_grants: [{ resource_uid: "webhook:own", permission_types: ["webhook_create" as const, "webhook_delete" as const] }],
		},
	],
	assignments: [{ username: "ann", roles: ["hooker"] }],
};
const hook = (url: string) => ({ type: "core.svc.webhook", parameters: { url } });

test("a trigger that is a webhook is made, changed and deleted only by who may do that with the webhook", () =>
	withGuardedService(
		async ({ signIn, ask }) => {
			const [root, ann, nobody] = [await signIn("root"), await signIn("ann"), await signIn("nobody")];
			const signature = { scheme: "github", secret_keys: ["pin"] };
			const guarded = { ...hook("guarded"), parameters: { url: "/guarded/", signature } };
			const made = String((await ask(root, "POST", "/v1/triggers", guarded)).body["ref"]);
			for (const user of [ann, nobody]) {
				assert.equal((await ask(user, "POST", "/v1/triggers", hook("guarded"))).status, 403);
				assert.equal((await ask(user, "PUT", `/v1/triggers/${made}`, hook("guarded"))).status, 403);
				assert.equal((await ask(user, "PUT", `/v1/triggers/${made}`, hook("own"))).status, 403);
				assert.equal((await ask(user, "DELETE", `/v1/triggers/${made}`)).status, 403);
			}
			assert.equal((await ask(nobody, "POST", "/v1/triggers", hook("/own"))).status, 403);
			const { status, body } = await ask(ann, "POST", "/v1/triggers", hook("/own"));
			assert.equal(status, 201);
			const own = `/v1/triggers/${String(body["ref"])}`;
			assert.equal((await ask(ann, "PUT", own, hook("guarded"))).status, 403);
			assert.equal((await ask(nobody, "PUT", own, hook("own"))).status, 403);
			assert.equal((await ask(ann, "PUT", own, hook("own/"))).status, 200);
			assert.equal((await ask(ann, "DELETE", own)).status, 204);
		},
		{ rbac },
	));

test("the client makes, finds, changes and deletes triggers", () =>
	withGuardedService(async ({ signIn, urls }) => {
		const { triggers } = createClient({ apiUrl: `${urls.api}/v1`, token: await signIn("root") });
		const { ref, uid, ...made } = await triggers.create({ type: "core.svc.webhook", name: "hook", parameters: { url: "a" } });
		assert.deepEqual([ref, made.parameters, made.pack], ["core.hook", { url: "a" }, "core"]);
		assert.match(uid, /^trigger:core:hook:[0-9a-f]{32}$/);
		assert.deepEqual(
			(await triggers.list({ type: "core.svc.webhook" })).map((trigger) => trigger.ref),
			[ref],
		);
		await triggers.update(ref, { type: "core.svc.webhook", parameters: { url: "b" } });
		assert.deepEqual((await triggers.get(ref)).parameters, { url: "b" });
		await triggers.remove(ref);
		await assert.rejects(triggers.get(ref), (error) => isSvcError(error, "SVC_NOT_FOUND"));
	}));

test.run();
