import * as assert from "node:assert/strict";
import { test } from "uvu";
import { stringify } from "yaml";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { fakeWorkflow, toFakeDefinition } from "../../testing/http/fake-workflow.test-support.ts";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const packs = {
	"yard/pack.yaml": stringify({ ref: "yard", name: "yard", description: "Flows.", version: "1.0.0", author: "somebody" }),
	"yard/actions/flow.yaml": stringify({ name: "flow", runner_type: "workflow", entry_point: "workflows/flow.yaml" }),
	"yard/actions/workflows/flow.yaml": toFakeDefinition({ one: { next: [{ do: "two" }] }, two: { action: "default.speak" }, three: {} }),
	"yard/actions/odd.yaml": stringify({ name: "odd", runner_type: "workflow", entry_point: "workflows/odd.yaml" }),
	"yard/actions/workflows/odd.yaml": "- nothing\n",
};
const rbac = {
	roles: [
		{
			name: "writer",
			permission_grants: [
				{ permission_types: ["workflow_inspect", "stream_view"] },
				{ resource_uid: "action:default:speak", permission_types: ["action_view"] },
			],
		},
		{ name: "watcher", permission_grants: [{ resource_uid: "pack:yard", permission_types: ["action_view"] }] },
		{ name: "follower", permission_grants: [{ permission_types: ["stream_view"] }] },
	],
	assignments: [
		{ username: "wren", roles: ["writer"] },
		{ username: "ann", roles: ["watcher", "follower"] },
		{ username: "bea", roles: ["follower"] },
	],
} as const;

const withYard = (use: (service: GuardedService, root: string) => Promise<void>) =>
	withGuardedService(async (service) => use(service, await service.signIn("root")), {
		packs,
		rbac,
		runners: [fakeWorkflow()],
		api: { max_body_size: 2_000 },
	});

test("a definition is inspected as the text that it is, whatever it calls itself", () =>
	withYard(async ({ urls, signIn }, root) => {
		const inspect = async (token: string, body: string, type?: string, query = "") => {
			const headers = { "x-auth-token": token, ...(type !== undefined && { "content-type": type }) };
			const response = await fetch(`${urls.api}/v1/workflows/inspect${query}`, { method: "POST", body: Buffer.from(body), headers });
			return {
				status: response.status,
				body: (await response.json()) as { message: string; missing_action?: string }[] & { faultstring: string },
			};
		};
		const text = toFakeDefinition({ one: { action: "default.speak" }, two: { action: "default.whisper" } });
		for (const type of [undefined, "text/plain", "text/plain; charset=utf-8", "application/yaml", "application/x-yaml"]) {
			assert.deepEqual(await inspect(root, text, type), { status: 200, body: [] });
		}
		assert.deepEqual(await inspect(root, '{"tasks": {"one": {}}}', "application/json"), { status: 200, body: [] });
		const form = await inspect(root, text, "application/x-www-form-urlencoded");
		assert.deepEqual([form.status, /use text\/plain$/.test(form.body.faultstring)], [400, true]);
		const large = await inspect(root, " ".repeat(2_001), "text/plain");
		assert.deepEqual([large.status, large.body.faultstring], [413, "body: must be at most 2000 bytes, got 2001"]);
		const wren = await signIn("wren");
		assert.deepEqual(
			(await inspect(wren, text)).body.map(({ message, missing_action }) => [message, missing_action]),
			[['the action "default.whisper" is not registered', "default.whisper"]],
		);
		const other = await inspect(wren, text, undefined, "?runner=speak");
		assert.equal(other.status, 400);
		assert.match(
			other.body.faultstring,
			/^runner: runner "speak" has no workflow definitions; the runners with definitions are "workflow"$/,
		);
		assert.equal((await inspect(await signIn("ann"), text)).status, 403);
	}));

test("actions and executions that are no workflows have neither graph nor tasks", () =>
	withYard(async ({ ask, run }, root) => {
		const spoken = await run(root);
		for (const [path, status, message] of [
			["/v1/workflows/default.speak/graph", 400, /^action "default\.speak" is not a workflow/],
			[`/v1/executions/${spoken}/graph`, 400, /^action "default\.speak" is not a workflow/],
			[`/v1/executions/${spoken}/tasks`, 400, /^action "default\.speak" is not a workflow/],
			["/v1/workflows/yard.none/graph", 404, /^action "yard\.none" cannot be found/],
			["/v1/workflows/yard.odd/graph", 400, /the text is no definition/],
			[`/v1/executions/${"0".repeat(24)}/tasks`, 404, /cannot be found/],
		] as const) {
			const answer = await ask(root, "GET", path);
			assert.equal(answer.status, status, path);
			assert.match(String(answer.body["faultstring"]), message);
		}
	}));

test("tasks come in pages, and by the other name of executions too", () =>
	withYard(async ({ urls, run }, root) => {
		const id = await run(root, "yard.flow");
		const read = async (path: string) => {
			const response = await fetch(`${urls.api}/v1${path}`, { headers: { "x-auth-token": root } });
			const names = ((await response.json()) as { name: string }[]).map(({ name }) => name);
			return [names, response.headers.get("x-total-count"), response.headers.get("x-limit")];
		};
		assert.deepEqual(await read(`/executions/${id}/tasks`), [["one", "two", "three"], "3", "100"]);
		assert.deepEqual(await read(`/actionexecutions/${id}/tasks?limit=1&offset=1`), [["two"], "3", "1"]);
		assert.deepEqual(await read(`/executions/${id}/tasks?offset=5`), [[], "3", "100"]);
	}));

test("the general stream tells of tasks to those who ask for them and may view the workflow", () =>
	withYard(async ({ urls, signIn, run }, root) => {
		const controller = new AbortController();
		const follow = async (token: string, query: string) => {
			const headers = { "x-auth-token": token };
			const response = await fetch(`${urls.stream}/v1/stream?${query}`, { headers, signal: controller.signal });
			const seen = { text: "" };
			void (async () => {
				for await (const bytes of response.body as ReadableStream<Uint8Array>) seen.text += Buffer.from(bytes).toString("utf8");
			})().catch(() => undefined);
			return seen;
		};
		const all = await follow(root, "events=svc.task__*,svc.execution__update&action_refs=yard.flow");
		const viewer = await follow(await signIn("ann"), "events=svc.task__update");
		const others = await Promise.all([
			follow(await signIn("bea"), "events=*"),
			follow(root, ""),
			follow(root, `events=svc.task__update&execution_ids=${"0".repeat(24)}`),
		]);
		const id = await run(root, "yard.flow");
		const last = /event: svc\.task__update\ndata: \{[^\n]*"name":"three"[^\n]*"status":"succeeded"[^\n]*\}/;
		for (const seen of [all, viewer]) {
			await until("the last task", 20, async () => last.test(seen.text) || undefined);
			assert.match(seen.text, new RegExp(`"execution_id":"${id}","action_ref":"yard\\.flow"`));
		}
		await until(
			"the end",
			20,
			async () => /svc\.execution__update\ndata: [^\n]*"status":"succeeded"/.test(others[1]?.text ?? "") || undefined,
		);
		controller.abort();
		for (const { text } of others) assert.doesNotMatch(text, /svc\.task__update/);
	}));

test.run();
