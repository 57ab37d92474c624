import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const path = "/v1/sensortypes/default.watcher";

test("the record of a sensor has the members of the reference, and how it does", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const { body } = await ask(await signIn("root"), "GET", path);
		const { id, state_changed_at, node, state, ...rest } = body;
		assert.ok([id, state_changed_at, node, state].every((value) => typeof value === "string" || value === null));
		assert.deepEqual(rest, {
			uid: "sensor_type:default:watcher",
			ref: "default.watcher",
			name: "watcher",
			pack: "default",
			description: "Watches.",
			artifact_uri: "",
			entry_point: "",
			trigger_types: ["default.seen"],
			poll_interval: null,
			enabled: true,
			metadata_file: "",
			restarts: 0,
			last_error: null,
			next_start_at: null,
		});
		assert.deepEqual((await ask(await signIn("root"), "GET", `/v1/sensortypes/${String(id)}`)).body["ref"], "default.watcher");
	}));

test("lists are filtered by name, pack, trigger and enabled, and attributes are chosen", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const root = await signIn("root");
		const count = async (query: string) => ((await ask(root, "GET", `/v1/sensortypes${query}`)).body as unknown as unknown[]).length;
		assert.equal(await count(""), 1);
		assert.equal(await count("?trigger=default.seen&enabled=true&name=watcher,other&pack=default"), 1);
		for (const query of ["?trigger=default.other", "?enabled=false", "?name=other", "?pack=other", "?offset=1"]) {
			assert.equal(await count(query), 0, query);
		}
		const { body } = await ask(root, "GET", "/v1/sensortypes?include_attributes=state");
		assert.deepEqual(Object.keys((body as unknown as object[])[0] ?? {}), ["id", "ref", "state"]);
		assert.equal((await ask(root, "GET", "/v1/sensortypes?enabled=perhaps")).status, 400);
		assert.equal((await ask(root, "GET", "/v1/sensortypes/default.nothing")).status, 404);
	}));

test("a sensor is switched by its own record with the member changed; without it, it is switched off", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const root = await signIn("root");
		const record = (await ask(root, "GET", path)).body;
		const off = await ask(root, "PUT", path, { ...record, enabled: false, description: "not taken" });
		assert.equal(off.status, 200);
		assert.equal(off.body["enabled"], false);
		assert.equal(off.body["description"], "Watches.");
		assert.equal((await ask(root, "PUT", path, { ...record, enabled: true })).body["enabled"], true);
		assert.equal((await ask(root, "PUT", path, {})).body["enabled"], false);
		assert.equal((await ask(root, "PUT", path, { enabled: "yes" })).status, 400);
		assert.equal((await ask(root, "PUT", "/v1/sensortypes/default.nothing", { enabled: true })).status, 404);
	}));

test("a grant on the pack counts for its sensors", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const maria = await signIn("maria");
			assert.equal((await ask(maria, "GET", path)).status, 200);
			assert.equal((await ask(maria, "PUT", path, { enabled: false })).status, 403);
		},
		{
			rbac: {
				roles: [{ name: "viewer", permission_grants: [{ resource_uid: "pack:default", permission_types: ["sensor_type_view"] }] }],
				assignments: [{ username: "maria", roles: ["viewer"] }],
			},
		},
	));

test.run();
