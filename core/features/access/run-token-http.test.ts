import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ServiceUnderTest, withService } from "../../testing/http/service.test-support.ts";
import { create } from "../../testing/http/whole-service.test-support.ts";
import { mockRunner } from "../../testing/mock-runner.ts";

/** A service with an action that goes on until it is told not to, and the token that its latest run was given. */
async function withRun(
	run: (service: ServiceUnderTest & { id: string; as(method: string, path: string, body?: object): Promise<Response> }) => Promise<void>,
	parameters: object = { block: true },
): Promise<void> {
	let tell: (token: string) => void = () => {};
	const told = new Promise<string>((resolve) => {
		tell = resolve;
	});
	const runner = mockRunner({ onRun: ({ environment }) => tell(String(environment["SVC_ACTION_AUTH_TOKEN"])) });
	await withService(
		async (service) => {
			await service.ask("/v1/actions", { method: "POST", body: JSON.stringify({ name: "long", runner_type: "mock" }) });
			const id = await create(service, { action: "default.long", parameters });
			const token = await told;
			const as = (method: string, path: string, body?: object) =>
				service.ask(path, { method, headers: { "x-auth-token": token }, ...(body !== undefined && { body: JSON.stringify(body) }) });
			await run({ ...service, id, as });
		},
		{ runners: [runner] },
	);
}

test("the token of a run acts as its user, but makes and changes no API keys", () =>
	withRun(async ({ as, ask }) => {
		assert.equal(((await (await as("GET", "/v1/user")).json()) as { username: string }).username, "admin");
		assert.equal((await as("GET", "/v1/apikeys")).status, 200);
		const made = (await (await ask("/v1/apikeys", { method: "POST", body: '{"enabled": false}' })).json()) as { id: string };
		const loaded = { key_hash: "a".repeat(128) };
		for (const [method, path, body] of [
			["POST", "/v1/apikeys", {}],
			["POST", "/v1/apikeys", loaded],
			["PUT", `/v1/apikeys/${made.id}`, { enabled: true }],
		] as const) {
			const refused = await as(method, path, body);
			assert.equal(refused.status, 403, path);
			assert.match(((await refused.json()) as { faultstring: string }).faultstring, /the token of a run .* API keys/);
		}
		assert.equal((await as("POST", "/auth/v1/tokens", {})).status, 401);
		assert.equal(((await (await ask("/v1/apikeys")).json()) as object[]).length, 1);
	}));

for (const [way, end] of [
	["is canceled", ({ ask, id }) => ask(`/v1/executions/${id}`, { method: "DELETE" })],
	["is ended from outside", ({ ask, id }) => ask(`/v1/executions/${id}`, { method: "PUT", body: '{"status": "abandoned"}' })],
] as const satisfies readonly (readonly [string, (service: ServiceUnderTest & { id: string }) => Promise<Response>])[]) {
	test(`the token of a run ends with the run when it ${way}`, () =>
		withRun(async (service) => {
			assert.equal((await service.as("GET", "/v1/user")).status, 200);
			assert.equal((await end(service)).status, 200);
			await service.ended(service.id);
			assert.equal((await service.as("GET", "/v1/user")).status, 401);
		}));
}

test("the token of a run that its runner does not leave ends when somebody ends the execution", () =>
	withRun(
		async ({ ask, as, id }) => {
			await ask(`/v1/executions/${id}`, { method: "PUT", body: '{"status": "failed"}' });
			assert.equal((await as("GET", "/v1/user")).status, 401);
		},
		{ block: true, ignore_abort: 500 },
	));

test("a run that was started with a scoped key may do with its token what the key may, and so may what it starts", async () => {
	const tokens: string[] = [];
	const runner = mockRunner({ onRun: ({ environment }) => void tokens.push(String(environment["SVC_ACTION_AUTH_TOKEN"])) });
	await withService(
		async ({ ask, ended, urls }) => {
			await ask("/v1/actions", { method: "POST", body: JSON.stringify({ name: "long", runner_type: "mock" }) });
			const scopes = ["action_execute", "execution_view", "execution_stop"];
			const made = await ask("/v1/apikeys", { method: "POST", body: JSON.stringify({ scopes }) });
			const { key } = (await made.json()) as { key: string };
			const start = async (headers: Readonly<Record<string, string>>) => {
				const body = JSON.stringify({ action: "default.long", parameters: { block: true } });
				const started = await fetch(`${urls.api}/v1/executions`, {
					method: "POST",
					headers: { ...headers, "content-type": "application/json" },
					body,
				});
				assert.equal(started.status, 201);
				return ((await started.json()) as { id: string }).id;
			};
			const tokenAt = async (index: number) => {
				while (tokens[index] === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
				return { "x-auth-token": tokens[index] };
			};
			const ids = [await start({ "svc-api-key": key })];
			ids.push(await start(await tokenAt(0)));
			for (const [index, id] of ids.entries()) {
				const headers = await tokenAt(index);
				assert.equal((await ask(`/v1/executions/${id}`, { headers })).status, 200);
				assert.equal((await ask("/v1/rules", { headers })).status, 403);
				assert.equal((await ask("/v1/keys", { headers })).status, 403);
			}
			for (const id of ids) {
				await ask(`/v1/executions/${id}`, { method: "DELETE" });
				await ended(id);
			}
		},
		{ runners: [runner] },
	);
});

test.run();
