import * as assert from "node:assert/strict";
import { test } from "uvu";
import { faultOf, post, withHttp } from "../../testing/http/http.test-support.ts";

type WireRecord = Record<string, unknown>;

test("actions are listed without a limit and can be selected", () =>
	withHttp(async ({ ask, fake }) => {
		const response = await ask("/v1/actions?name=local,echo&pack=core&tags=team&exclude_attributes=parameters");
		assert.deepEqual([response.headers.get("x-total-count"), response.headers.get("x-limit")], ["1", null]);
		const [action] = (await response.json()) as WireRecord[];
		assert.deepEqual(Object.keys(action ?? {}), [
			"id",
			"uid",
			"ref",
			"pack",
			"name",
			"description",
			"runner_type",
			"entry_point",
			"enabled",
			"tags",
			"notify",
			"output_schema",
		]);
		assert.deepEqual(fake.asked["actions"], { id: undefined, name: ["local", "echo"], pack: "core", tags: "team" });
		assert.equal((await ask("/v1/actions?exclude_attributes=name")).status, 400);
	}));

test("an action is read by ref, and an unknown one is 404", () =>
	withHttp(async ({ ask }) => {
		assert.equal(((await (await ask("/v1/actions/core.local")).json()) as WireRecord)["ref"], "core.local");
		assert.match(await faultOf(await ask("/v1/actions/core.nope")), /core\.nope/);
	}));

test("the views show merged parameters and the entry point", () =>
	withHttp(async ({ ask }) => {
		const merged = {
			timeout: { type: "integer", default: 60 },
			cmd: { type: "string", required: true },
			pin: { type: "string", secret: true, default: "********" },
		};
		assert.deepEqual(await (await ask("/v1/actions/views/parameters/core.local")).json(), { parameters: merged });
		assert.deepEqual(((await (await ask("/v1/actions/views/overview/core.local")).json()) as WireRecord)["parameters"], merged);
		assert.deepEqual(((await (await ask("/v1/actions/views/overview")).json()) as WireRecord[])[0]?.["parameters"], merged);
		const entry = await ask("/v1/actions/views/entry_point/core.local");
		assert.equal(entry.headers.get("content-type"), "application/x-sh");
		assert.equal(await entry.text(), "echo hi\n");
	}));

test("defaults of secrets are shown to administrators who ask for them only", () =>
	withHttp(async ({ ask, fake }) => {
		const paths = ["/v1/actions", "/v1/actions/core.local", "/v1/actions/views/overview", "/v1/actions/views/parameters/core.local"];
		const texts = (query: string) => Promise.all(paths.map(async (path) => (await ask(path + query)).text()));
		for (const text of await texts("")) assert.ok(!text.includes("default-secret") && text.includes("********"), text);
		for (const text of await texts("?show_secrets=true")) assert.ok(text.includes("default-secret"), text);
		fake.isAdmin = false;
		for (const text of await texts("?show_secrets=true")) assert.ok(!text.includes("default-secret"), text);
	}));

test("the service takes back the action record it gave", () =>
	withHttp(async ({ ask, fake }) => {
		const action = (await (await ask("/v1/actions/core.local")).json()) as WireRecord;
		const response = await ask("/v1/actions/core.local", { ...post({ ...action, enabled: false }), method: "PUT" });
		assert.equal(response.status, 200);
		const input = fake.asked["update"] as WireRecord;
		assert.ok(!("uid" in input) && !("id" in input) && !("ref" in input));
		assert.equal(input["enabled"], false);
	}));

test("bodies of actions are closed, and errors name the field", () =>
	withHttp(async ({ ask }) => {
		const cases: [object, RegExp][] = [
			[{ name: "a" }, /^runner_type: is a required property/],
			[{ name: "a", runner_type: "noop", colour: "red" }, /^colour: is not allowed/],
			[{ name: "a", runner_type: "noop", notify: { "on-monday": {} } }, /^notify\.on-monday: is not allowed/],
			[{ name: "a", runner_type: "noop", tags: [{ name: 1 }] }, /^tags\.0\.name: must be string/],
			[{ name: "a", runner_type: "noop", data_files: [{ file_path: "x" }] }, /^data_files\.0\.content: is a required/],
		];
		for (const [body, message] of cases) {
			const response = await ask("/v1/actions", post(body));
			assert.equal(response.status, 400);
			assert.match(await faultOf(response), message);
		}
	}));

test("actions are removed with 204 and an optional body, and cloned with 201", () =>
	withHttp(async ({ ask, fake }) => {
		const removed = await ask("/v1/actions/core.local", { method: "DELETE" });
		assert.equal(removed.status, 204);
		assert.equal(await removed.text(), "");
		assert.equal(removed.headers.get("content-type"), null);
		await ask("/v1/actions/core.local", { ...post({ remove_files: true }), method: "DELETE" });
		assert.deepEqual(fake.asked["remove"], { removeFiles: true });
		const cloned = await ask("/v1/actions/core.local/clone", post({ dest_pack: "p", dest_action: "a" }));
		assert.equal(cloned.status, 201);
		assert.deepEqual(fake.asked["clone"], { dest_pack: "p", dest_action: "a", overwrite: false });
		assert.equal((await ask("/v1/actions/core.local/clone", post({ dest_pack: "p" }))).status, 400);
	}));

test("runner types are listed by name and switched off by sending the record back", () =>
	withHttp(async ({ ask, fake }) => {
		const list = await ask("/v1/runnertypes/?name=local-shell-cmd");
		const [runnerType] = (await list.json()) as WireRecord[];
		assert.equal(list.headers.get("x-limit"), "100");
		assert.deepEqual(fake.asked["runnerTypes"], { id: undefined, name: ["local-shell-cmd"] });
		assert.deepEqual(fake.asked["runnerTypesPage"], { limit: 100, offset: 0, exactTotal: 100_000 });
		await ask("/v1/runnertypes?sort=-name,colour,id");
		assert.deepEqual((fake.asked["runnerTypesPage"] as WireRecord)["orderBy"], [
			["name", "desc"],
			["id", "asc"],
		]);
		const changed = await ask("/v1/runnertypes/local-shell-cmd", { ...post({ ...runnerType, enabled: false }), method: "PUT" });
		assert.equal(((await changed.json()) as WireRecord)["enabled"], false);
		const bad = await ask("/v1/runnertypes/local-shell-cmd", { ...post({ enabled: "no" }), method: "PUT" });
		assert.match(await faultOf(bad), /^enabled: must be boolean/);
	}));

test("form bodies are arrays of texts, so that a text where one is wanted is refused and named", () =>
	withHttp(async ({ ask }) => {
		const response = await ask("/v1/runnertypes/x", { method: "PUT", body: new URLSearchParams({ enabled: "true", blank: "" }) });
		assert.match(await faultOf(response), /^enabled: must be boolean/);
	}));

test.run();
