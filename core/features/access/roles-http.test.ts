import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const rbac = {
	roles: [
		{ name: "speaker", permission_grants: [{ permission_types: ["stream_view"] }] },
		{ name: "editor", permission_grants: [{ resource_uid: "action:default:whisper", permission_types: ["action_modify"] }] },
	],
	assignments: [{ username: "ann", roles: ["speaker"] }],
	mappings: [{ group: "ops", roles: ["observer"] }],
};

test("roles come from groups at each sign-in, and everybody may see their own", () =>
	withGuardedService(
		async ({ signIn, ask }) => {
			const ann = await signIn("ann", { groups: "ops,others" });
			const { body } = await ask(ann, "GET", "/v1/user");
			assert.deepEqual(body["rbac"], { enabled: true, roles: ["observer", "speaker"], is_admin: false });
			assert.equal((body["authentication"] as Record<string, string>)["method"], "authentication token");
			const own = (await ask(ann, "GET", "/v1/rbac/role_assignments?user=ann")).body as unknown as Record<string, unknown>[];
			assert.deepEqual(own.map(({ role, source, is_remote }) => [role, source, is_remote]).sort(), [
				["observer", "ops", true],
				["speaker", "rbac.assignments[0]", false],
			]);
			for (const { id } of own) assert.equal((await ask(ann, "GET", `/v1/rbac/role_assignments/${String(id)}`)).status, 200);
			for (const query of ["", "?user=root", "?role=speaker"]) {
				assert.equal((await ask(ann, "GET", `/v1/rbac/role_assignments${query}`)).status, 403, query);
			}
			assert.equal((await ask(ann, "GET", "/v1/actions")).status, 200);
			await signIn("ann", { groups: "others" });
			assert.equal((await ask(ann, "GET", "/v1/actions")).status, 403);
		},
		{ rbac },
	));

test("roles and permission types are shown to administrators", () =>
	withGuardedService(
		async ({ signIn, ask }) => {
			const root = await signIn("root");
			const { body: role } = await ask(root, "GET", "/v1/rbac/roles/editor");
			assert.deepEqual([role["name"], role["system"]], ["editor", false]);
			const [grant] = role["permission_grant_objects"] as Record<string, unknown>[];
			assert.deepEqual([grant?.["resource_uid"], grant?.["resource_type"]], ["action:default:whisper", "action"]);
			assert.deepEqual((await ask(root, "GET", `/v1/rbac/roles/${String(role["id"])}`)).body, role);
			const names = async (query: string) =>
				((await ask(root, "GET", `/v1/rbac/roles${query}`)).body as unknown as { name: string }[]).map(({ name }) => name);
			assert.deepEqual(await names("?system=true"), ["system_admin", "admin", "observer"]);
			assert.deepEqual(await names("?system=false"), ["speaker", "editor"]);
			const { body: types } = await ask(root, "GET", "/v1/rbac/permission_types");
			assert.deepEqual(types["stream"], (await ask(root, "GET", "/v1/rbac/permission_types/stream")).body);
			for (const path of ["roles/nothing", "permission_types/nothing", "role_assignments/nothing"]) {
				assert.equal((await ask(root, "GET", `/v1/rbac/${path}`)).status, 404, path);
			}
		},
		{ rbac },
	));

test.run();
