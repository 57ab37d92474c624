import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

type KeyRecord = Readonly<Record<string, unknown>>;
const rbac = { roles: [{ name: "maker", permission_grants: [{ permission_types: ["api_key_create", "api_key_list"] }] }] };
const assignments = [{ username: "ann", roles: ["maker"] }];

const asKey = (url: string, key: string) => fetch(`${url}/v1/user`, { headers: { "svc-api-key": key } });

test("a key is shown once and masked afterwards, and carries what its user may do", () =>
	withGuardedService(async ({ signIn, ask, urls, log }) => {
		const root = await signIn("root");
		const { status, body } = await ask(root, "POST", "/v1/apikeys", { metadata: { used_by: "build farm" } });
		assert.equal(status, 201);
		const { key, id, ...rest } = body;
		assert.match(String(rest["uid"]), /^api_key:[0-9a-f]{128}$/);
		assert.deepEqual(
			[rest["user"], rest["enabled"], rest["last_used_at"], rest["expires_at"], rest["scopes"], "key_hash" in rest],
			["root", true, null, null, null, false],
		);
		for (const name of [String(id), String(key)]) {
			const { body: shown } = await ask(root, "GET", `/v1/apikeys/${name}`);
			assert.deepEqual([shown["id"], shown["uid"], shown["key_hash"], "key" in shown], [id, "********", "********", false]);
		}
		const who = (await (await asKey(urls.api, String(key))).json()) as KeyRecord;
		assert.deepEqual(who["authentication"], { method: "API key", location: "header" });
		assert.deepEqual(who["rbac"], { enabled: true, roles: ["admin"], is_admin: true });
		assert.notEqual((await ask(root, "GET", `/v1/apikeys/${String(id)}`)).body["last_used_at"], null);
		assert.ok(!log.join("").includes(String(key)));
	}));

test("a key is switched off and on by sending the record back, and deleted by id or by itself", () =>
	withGuardedService(async ({ signIn, ask, urls }) => {
		const root = await signIn("root");
		const { body: made } = await ask(root, "POST", "/v1/apikeys", {});
		const [id, key] = [String(made["id"]), String(made["key"])];
		const { body: record } = await ask(root, "GET", `/v1/apikeys/${id}`);
		const off = await ask(root, "PUT", `/v1/apikeys/${id}`, { ...record, enabled: false });
		assert.deepEqual([off.status, off.body["enabled"], off.body["key_hash"]], [200, false, "********"]);
		const refused = await asKey(urls.api, key);
		assert.equal(refused.status, 401);
		assert.match(((await refused.json()) as { faultstring: string }).faultstring, /Unauthorized.*disabled/);
		assert.equal((await ask(root, "PUT", `/v1/apikeys/${key}`, { ...record, enabled: true })).status, 200);
		assert.equal((await asKey(urls.api, key)).status, 200);
		assert.equal((await ask(root, "DELETE", `/v1/apikeys/${key}`)).status, 204);
		assert.equal((await asKey(urls.api, key)).status, 401);
		for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const) {
			const gone = await ask(root, method, `/v1/apikeys/${key}`, body);
			assert.equal(gone.status, 404);
			assert.ok(!JSON.stringify(gone.body).includes(key));
		}
	}));

test("keys exported from one service work on another, also when they are loaded twice", () =>
	withGuardedService((first) =>
		withGuardedService(async (second) => {
			const [here, there] = [await first.signIn("root"), await second.signIn("root")];
			const { body: made } = await first.ask(here, "POST", "/v1/apikeys", { user: "robot", metadata: { a: 1 }, scopes: ["action_list"] });
			const exported = (await first.ask(here, "GET", "/v1/apikeys?show_secrets=true")).body as unknown as KeyRecord[];
			assert.match(String(exported[0]?.["key_hash"]), /^[0-9a-f]{128}$/);
			for (const round of [404, 200]) {
				for (const record of exported) {
					const put = await second.ask(there, "PUT", `/v1/apikeys/${String(record["id"])}`, record);
					assert.equal(put.status, round);
					if (put.status !== 404) continue;
					const { status, body } = await second.ask(there, "POST", "/v1/apikeys", record);
					assert.deepEqual([status, body["key"], body["id"]], [201, null, record["id"]]);
				}
			}
			assert.deepEqual((await second.ask(there, "GET", "/v1/apikeys?show_secrets=true")).body, exported);
			const who = (await (await asKey(second.urls.api, String(made["key"]))).json()) as KeyRecord;
			assert.equal(who["username"], "robot");
			assert.equal((await second.ask(there, "POST", "/v1/apikeys", exported[0])).status, 409);
			assert.ok(second.log.some((line) => line.includes("secrets shown")));
		}),
	));

test("only administrators see hashes and make keys for others", () =>
	withGuardedService(
		async ({ signIn, ask }) => {
			const ann = await signIn("ann");
			assert.equal((await ask(ann, "POST", "/v1/apikeys", { user: "root" })).status, 403);
			const { status, body } = await ask(ann, "POST", "/v1/apikeys", {});
			assert.deepEqual([status, body["user"]], [201, "ann"]);
			const { status: listed, body: list } = await ask(ann, "GET", "/v1/apikeys?show_secrets=true");
			assert.equal(listed, 200);
			assert.deepEqual(
				(list as unknown as KeyRecord[]).map(({ key_hash, uid }) => [key_hash, uid]),
				[["********", "********"]],
			);
			assert.equal((await ask(ann, "GET", `/v1/apikeys/${String(body["id"])}`)).status, 403);
		},
		{ rbac: { ...rbac, assignments } },
	));

test("a grant on a key counts for that key", async () => {
	let record: KeyRecord = {};
	await withGuardedService(async ({ signIn, ask }) => {
		const root = await signIn("root");
		const { body } = await ask(root, "POST", "/v1/apikeys", {});
		record = (await ask(root, "GET", `/v1/apikeys/${String(body["id"])}?show_secrets=true`)).body;
	});
	const grant = { resource_uid: String(record["uid"]), permission_types: ["api_key_modify"] };
	const roles = [{ name: "keeper", permission_grants: [grant] }];
	await withGuardedService(
		async ({ signIn, ask }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			await ask(root, "POST", "/v1/apikeys", record);
			const { body: other } = await ask(root, "POST", "/v1/apikeys", {});
			const path = `/v1/apikeys/${String(record["id"])}`;
			assert.equal((await ask(ann, "GET", path)).status, 200);
			assert.equal((await ask(ann, "PUT", path, { enabled: false })).status, 200);
			assert.equal((await ask(ann, "PUT", path, { user: "ann" })).status, 403);
			assert.equal((await ask(ann, "DELETE", path)).status, 403);
			assert.equal((await ask(ann, "GET", `/v1/apikeys/${String(other["id"])}`)).status, 403);
		},
		{ rbac: { roles, assignments: [{ username: "ann", roles: ["keeper"] }] } },
	);
});

test("with access control off a key with scopes may still do only what they name", () =>
	withGuardedService(
		async ({ signIn, ask, urls }) => {
			const ann = await signIn("ann");
			const { body } = await ask(ann, "POST", "/v1/apikeys", { scopes: ["action_list"] });
			const headers = { "svc-api-key": String(body["key"]) };
			const status = async (path: string) => (await fetch(urls.api + path, { headers })).status;
			assert.equal(await status("/v1/actions"), 200);
			assert.equal(await status("/v1/actions?limit=-1"), 403);
			for (const path of ["/v1/actions/default.speak", "/v1/executions", "/v1/apikeys", "/v1/rbac/roles"]) {
				assert.equal(await status(path), 403, path);
			}
		},
		{ rbac: { enable: false } },
	));

test("bodies are closed, and what is wrong in them is named", () =>
	withGuardedService(async ({ signIn, ask }) => {
		const root = await signIn("root");
		for (const [body, names] of [
			[{ colour: "red" }, /colour/],
			[{ enabled: "yes" }, /enabled/],
			[{ metadata: [] }, /metadata/],
			[{ scopes: ["fly"] }, /scopes.*"fly"/],
			[{ expires_at: "tomorrow" }, /expires_at/],
			[{ key_hash: "x" }, /key_hash/],
			[{ id: "x", key_hash: "0".repeat(128) }, /^id/],
		] as const) {
			const { status, body: answer } = await ask(root, "POST", "/v1/apikeys", body);
			assert.equal(status, 400);
			assert.match(String(answer["faultstring"]), names);
		}
	}));

test.run();
