import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { createGuard } from "../service/create-http.ts";
import { createOptions, FakeEngine, toEngine } from "../testing/http/fake-engine.test-support.ts";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { createApp } from "./app.ts";
import { answerNothing } from "./openapi/responses.ts";
import { toLoggedPath } from "./redacted-path.ts";

const viewSpeak = { resource_uid: "action:default:speak", permission_types: ["action_view", "action_execute"] };
const rbac = {
	roles: [
		{ name: "speaker", permission_grants: [viewSpeak, { permission_types: ["stream_view", "execution_list", "api_key_create"] }] },
		{ name: "editor", permission_grants: [{ resource_uid: "action:default:whisper", permission_types: ["action_modify"] }] },
	],
	assignments: [
		{ username: "ann", roles: ["speaker"] },
		{ username: "eve", roles: ["editor"] },
	],
};

test("a route that does not say who may use it, and what it answers, refuses to start", () => {
	const handler = () => ({ status: 200, headers: {}, body: null });
	const route = { method: "GET", path: "/x", component: "api", handler, summary: "Tell", answers: { 200: answerNothing() } } as const;
	const start = (declared: object) => () =>
		createApp("api", [{ ...route, ...declared } as never], {
			context: { guard: createGuard(toEngine(new FakeEngine())), options: createOptions() },
		} as never);
	assert.throws(start({}), /GET \/x declares no known permission/);
	assert.throws(start({ permission: "action_fly" }), /declares no known permission/);
	assert.throws(start({ permission: "action_view" }), /declares no resource for "action_view"/);
	assert.throws(start({ permission: "authenticated" }), /GET \/x must not declare "authenticated"/);
	assert.throws(start({ path: "/user", permission: "authenticated", resource: () => ({ uid: "x" }) }), /declares a resource/);
	assert.throws(start({ permission: "admin", resource: () => ({ uid: "x" }) }), /declares a resource/);
	for (const declared of [{ permission: "action_list" }, { permission: "action_view", resource: () => ({ uid: "x" }) }]) {
		assert.doesNotThrow(start(declared));
	}
	assert.throws(start({ permission: "action_list", answers: undefined }), /route GET \/x declares no answers; hint: "answers: {/);
	assert.throws(start({ permission: "action_list", answers: { 404: answerNothing() } }), /GET \/x declares no successful response/);
	assert.throws(start({ permission: "action_list", summary: "" }), /GET \/x declares no summary/);
	const pathsOf = (wanted: string) => [...new Set(routes.filter(({ permission }) => permission === wanted).map(({ path }) => path))];
	assert.deepEqual(pathsOf("public"), [
		"/openapi.json",
		"/docs",
		"/health/live",
		"/health/ready",
		"/tokens",
		"/sso",
		"/sso/request",
		"/sso/callback",
		"/sso/sign-out",
		"/sso/back-channel-logout",
		"/sso/device",
		"/sso/device/token",
		"/web/:file",
		"/docs/**:file",
	]);
	assert.deepEqual(pathsOf("authenticated"), ["/", "/user", "/tokens/:token", "/packs/views/file/:pack/icon.png"]);
});

test("the paths of credentials are not logged", () => {
	for (const [path, logged] of [
		["/v1/apikeys/abc", "/v1/apikeys/…"],
		["/auth/v1/tokens/abc/def", "/auth/v1/tokens/…"],
		["/api/v1/apikeys", "/api/v1/apikeys"],
		["/v1/tokens/validate", "/v1/tokens/validate"],
		["/v1/tokens/validated", "/v1/tokens/…"],
		["/v1/%61pikeys/abc", "…/apikeys/…"],
		["/v1/apikeys/%ff", "…"],
		["/v1/actions/a%20b", "/v1/actions/a%20b"],
	] as const) {
		assert.equal(toLoggedPath(path), logged);
	}
});

test("a user sees and does what the grants say, record by record", () =>
	withGuardedService(
		async ({ signIn, ask, run }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const whispered = await run(root, "default.whisper");
			const spoken = await run(ann);
			assert.equal((await ask(ann, "GET", `/v1/executions/${spoken}`)).status, 200);
			for (const path of ["", "/result", "/output", "/children", "/attribute/status"]) {
				const { status, body } = await ask(ann, "GET", `/v1/executions/${whispered}${path}`);
				assert.equal(status, 403, path);
				assert.match(String(body["faultstring"]), /"ann".*"execution_view".*"action:default:whisper"/);
			}
			assert.equal((await ask(ann, "GET", `/stream/v1/executions/${whispered}/output`)).status, 403);
			assert.equal((await ask(ann, "GET", "/v1/executions/last")).status, 200);
			await run(root, "default.whisper");
			assert.equal((await ask(ann, "GET", "/v1/executions/last")).status, 403);
			assert.equal((await ask(ann, "POST", "/v1/executions", { action: "default.whisper" })).status, 403);
			assert.equal((await ask(ann, "POST", "/v1/executions", { action: "default.gone" })).status, 404);
			assert.equal((await ask(ann, "POST", `/v1/executions/${whispered}/re_run`, {})).status, 403);
			assert.equal((await ask(ann, "DELETE", `/v1/executions/${whispered}`)).status, 403);
		},
		{ rbac },
	));

test("who may not see a list is told so before anything of the request is read", () =>
	withGuardedService(async ({ signIn, ask }) => {
		const ben = await signIn("ben");
		for (const [method, path, body] of [
			["GET", "/v1/actions?limit=abc"],
			["GET", "/v1/apikeys?limit=0"],
			["POST", "/v1/apikeys", { colour: "red" }],
			["GET", "/v1/rbac/roles?system=perhaps"],
		] as const) {
			assert.equal((await ask(ben, method, path, body)).status, 403, path);
		}
	}));

test("nobody runs actions as somebody else, neither by name nor as a child of their execution", () =>
	withGuardedService(
		async ({ signIn, ask, run, urls }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const parent = await run(root);
			const own = await run(ann);
			const start = async (more: object) => (await ask(ann, "POST", "/v1/executions", { action: "default.speak", ...more })).status;
			assert.equal(await start({ user: "root" }), 403);
			assert.equal(await start({ user: "ann" }), 201);
			assert.equal(await start({ context: { parent: { execution_id: parent } } }), 403);
			assert.equal(await start({ context: { parent: { execution_id: own } } }), 201);
			const headers = { "x-auth-token": ann, "svc-context": JSON.stringify({ parent: { execution_id: parent } }) };
			const body = JSON.stringify({ action: "default.speak" });
			assert.equal((await fetch(`${urls.api}/v1/executions`, { method: "POST", headers, body })).status, 403);
			assert.equal((await ask(ann, "POST", `/v1/executions/${own}/re_run`, { user: "root" })).status, 403);
			assert.equal((await ask(root, "POST", "/v1/executions", { action: "default.speak", user: "ann" })).status, 201);
		},
		{ rbac },
	));

test("who may change an action may not move it to where it would be another one", () =>
	withGuardedService(
		async ({ signIn, ask }) => {
			const eve = await signIn("eve");
			const change = (body: object) => ask(eve, "PUT", "/v1/actions/default.whisper", { runner_type: "speak", ...body });
			assert.equal((await change({ name: "whisper" })).status, 200);
			assert.equal((await change({ name: "murmur" })).status, 403);
			assert.equal((await change({ name: "whisper", pack: "site" })).status, 403);
		},
		{ rbac },
	));

test("those who are no administrators see secrets masked and take limited pages", () =>
	withGuardedService(
		async ({ signIn, ask, run, log }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const id = await run(ann);
			const read = async (token: string) =>
				JSON.stringify((await ask(token, "GET", `/v1/executions/${id}?show_secrets=true`)).body["parameters"]);
			assert.equal(await read(ann), '{"pin":"********"}');
			assert.ok(!log.some((line) => line.includes("secrets shown")));
			assert.equal(await read(root), '{"pin":"a secret pin"}');
			assert.ok(log.some((line) => line.includes("secrets shown") && line.includes('"user":"root"') && line.includes(id)));
			for (const [query, status] of [
				["limit=100", 200],
				["limit=101", 403],
				["limit=-1", 403],
				["limit=0", 400],
			] as const) {
				assert.equal((await ask(ann, "GET", `/v1/executions?${query}`)).status, status, query);
			}
			assert.equal((await ask(root, "GET", "/v1/executions?limit=-1")).status, 200);
			assert.ok(!log.join("").includes("a secret pin"));
		},
		{ rbac },
	));

test("the general stream shows executions and output of those actions only that one may look at", () =>
	withGuardedService(
		async ({ signIn, run, urls }) => {
			const [root, ann] = [await signIn("root"), await signIn("ann")];
			const seen = async (token: string) => {
				const controller = new AbortController();
				const response = await fetch(`${urls.stream}/v1/stream?events=*`, {
					headers: { "x-auth-token": token },
					signal: controller.signal,
				});
				const whispered = await run(root, "default.whisper");
				const spoken = await run(root);
				let text = "";
				for await (const bytes of response.body as ReadableStream<Uint8Array>) {
					text += Buffer.from(bytes).toString("utf8");
					if (new RegExp(`execution_id":"${spoken}"`).test(text) && /"status":"succeeded"/.test(text.slice(text.indexOf(spoken)))) break;
				}
				controller.abort();
				return { whispers: text.includes(whispered) || text.includes("default.whisper"), speaks: text.includes(spoken) };
			};
			assert.deepEqual(await seen(root), { whispers: true, speaks: true });
			assert.deepEqual(await seen(ann), { whispers: false, speaks: true });
		},
		{ rbac },
	));

test("a token is ended by its user or an administrator, and validation tells which still hold", () =>
	withGuardedService(
		async ({ signIn, ask, urls, log }) => {
			const [root, ann, second] = [await signIn("root"), await signIn("ann"), await signIn("ann")];
			const valid = async (token: string) => (await ask(root, "POST", "/auth/v1/tokens/validate", { token })).body["valid"];
			const end = async (as: string, token: string) =>
				(await fetch(`${urls.auth}/v1/tokens/${token}`, { method: "DELETE", headers: { "x-auth-token": as } })).status;
			assert.equal(await end(ann, root), 403);
			assert.equal(await end(ann, second), 204);
			assert.equal(await valid(second), false);
			assert.equal(await valid(ann), true);
			assert.equal(await end(ann, second), 404);
			assert.equal(await end(root, ann), 204);
			assert.equal((await ask(ann, "GET", "/v1/user")).status, 401);
			for (const token of [root, ann, second]) assert.ok(!log.join("").includes(token));
		},
		{ rbac },
	));

test("denied permissions, sign-ins and refusals leave one line each", () =>
	withGuardedService(
		async ({ signIn, ask, log, urls }) => {
			const ann = await signIn("ann");
			const authorization = `Basic ${Buffer.from("ann:wrong words").toString("base64")}`;
			await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } });
			await ask(ann, "GET", "/v1/actions");
			await ask(ann, "GET", "/v1/rbac/roles");
			await ask(ann, "GET", "/v1/rbac/role_assignments");
			const count = (message: string) =>
				log.filter((line) => line.includes(`"message":"${message}"`) && line.includes('"user":"ann"')).length;
			assert.deepEqual([count("token granted"), count("token refused: invalid credentials"), count("permission denied")], [1, 1, 3]);
			assert.ok(!log.join("").includes("wrong words"));
		},
		{ rbac },
	));

test.run();
