// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner } from "../contract/index.ts";
import { until } from "../testing/guarantees/until.test-support.ts";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { withService } from "../testing/http/service.test-support.ts";

/** Runs until it is told not to, and tells its token. */
const lending = (lend: (token: string) => void) =>
	defineRunner("lending", () => ({
		description: "Waits.",
		capabilities: { streaming: true, cancellation: true },
		parameters: {},
		async run({ signal, environment, emit }) {
			await emit("stdout", "begun\n");
			lend(String(environment["SVC_ACTION_AUTH_TOKEN"]));
			if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
			return { succeeded: false, result: {} };
		},
	}))();

interface Followed {
	/** Everything that came until the end, and the milliseconds that took. */
	readonly text: Promise<string>;
	isOpen(): boolean;
	leave(): void;
}

async function open(url: string, headers: Record<string, string>): Promise<Followed> {
	const controller = new AbortController();
	const response = await fetch(url, { headers, signal: controller.signal });
	assert.equal(response.status, 200, url);
	let isOpen = true;
	const text = response.text().finally(() => {
		isOpen = false;
	});
	text.catch(() => {});
	return { text, isOpen: () => isOpen, leave: () => controller.abort() };
}

const rbac = {
	roles: [{ name: "speaker", permission_grants: [{ permission_types: ["stream_view"] }] }],
	assignments: [{ username: "key_user", roles: ["speaker"] }],
	mappings: [{ group: "ops", roles: ["observer"] }],
};

test("streams end within 15 seconds of their token, key or role, and those of others go on", async () => {
	let lend: (token: string) => void = () => {};
	const lent = new Promise<string>((resolve) => {
		lend = resolve;
	});
	await withGuardedService(
		async ({ ask, signIn, urls, pass }) => {
			const root = await signIn("root");
			await ask(root, "POST", "/v1/actions", { name: "long", runner_type: "lending" });
			const start = async () => String((await ask(root, "POST", "/v1/executions", { action: "default.long" })).body["id"]);
			const followed = await start();
			const runToken = await lent;
			const other = await start();
			const byToken = (token: string) => ({ "x-auth-token": token });
			const makeKey = async (input: object = {}) => {
				const { body } = await ask(root, "POST", "/v1/apikeys", { user: "key_user", ...input });
				return { id: String(body["id"]), headers: { "svc-api-key": String(body["key"]) } };
			};
			const [disabled, deleted, narrowed, kept] = [await makeKey(), await makeKey(), await makeKey(), await makeKey()];
			const [revoked, expiring, ann] = [await signIn("root"), await signIn("root", { ttl: 60 }), await signIn("ann", { groups: "ops" })];
			const output = `${urls.stream}/v1/executions/${other}/output`;
			const stream = `${urls.stream}/v1/stream`;
			const ending = {
				"revoked token": await open(stream, byToken(revoked)),
				"revoked token, in the address": await open(`${output}?x-auth-token=${revoked}`, {}),
				"revoked token, as a cookie": await open(stream, { cookie: `auth-token=${revoked}` }),
				"expired token": await open(output, byToken(expiring)),
				"disabled key": await open(stream, disabled.headers),
				"deleted key": await open(stream, deleted.headers),
				"narrowed key": await open(stream, narrowed.headers),
				"lost role": await open(stream, byToken(ann)),
				"lost role, output": await open(output, byToken(ann)),
				"ended run": await open(output, byToken(runToken)),
			};
			const staying = [await open(stream, byToken(root)), await open(output, byToken(root)), await open(stream, kept.headers)];
			try {
				const since = performance.now();
				assert.equal((await ask(root, "DELETE", `/auth/v1/tokens/${revoked}`)).status, 204);
				pass(100);
				assert.equal((await ask(root, "PUT", `/v1/apikeys/${disabled.id}`, { enabled: false })).status, 200);
				assert.equal((await ask(root, "DELETE", `/v1/apikeys/${deleted.id}`)).status, 204);
				assert.equal((await ask(root, "PUT", `/v1/apikeys/${narrowed.id}`, { scopes: ["action_list"] })).status, 200);
				await signIn("ann", { groups: "others" });
				await ask(root, "DELETE", `/v1/executions/${followed}`);
				for (const [name, { text, isOpen }] of Object.entries(ending)) {
					await until(`the end of: ${name}`, 15 - (performance.now() - since) / 1_000, () => !isOpen() || undefined);
					const why =
						name.startsWith("lost") || name.startsWith("narrowed")
							? "the permissions of the user have changed"
							: "the credential is no longer valid";
					assert.ok((await text).endsWith(`\n\n: ${why}\n\n`), `${name}: ${await text}`);
				}
				assert.deepEqual(
					staying.map(({ isOpen }) => isOpen()),
					[true, true, true],
				);
				for (const headers of [byToken(revoked), byToken(expiring), disabled.headers, deleted.headers, byToken(runToken)]) {
					assert.equal((await fetch(stream, { headers })).status, 401);
				}
				for (const headers of [narrowed.headers, byToken(ann)]) assert.equal((await fetch(stream, { headers })).status, 403);
			} finally {
				for (const { leave } of [...Object.values(ending), ...staying]) leave();
				for (const id of [followed, other]) await ask(root, "DELETE", `/v1/executions/${id}`);
			}
		},
		{ rbac, runners: [lending((token) => lend(token))] },
	);
});

test("a user holds as many streams as the option says, with all credentials together, until they are left", () =>
	withService(
		async ({ urls, token, ask, speak }) => {
			const id = await speak({ lines: ["a"], wait: true });
			const { key } = (await (await ask("/v1/apikeys", { method: "POST", body: "{}" })).json()) as { key: string };
			const headers = { "x-auth-token": token };
			const held = [await open(`${urls.stream}/v1/stream`, headers), await open(`${urls.api}/stream/v1/executions/${id}/output`, headers)];
			for (const url of [
				`${urls.stream}/v1/stream`,
				`${urls.stream}/v1/executions/${id}/output`,
				`${urls.api}/v1/executions/${id}/output`,
			]) {
				const refused = await fetch(url, { headers: { "svc-api-key": key } });
				assert.equal(refused.status, 429, url);
				assert.equal(refused.headers.get("retry-after"), "5");
				assert.match(await refused.text(), /user \\"admin\\" has 2 open streams; at most 2 are allowed \(stream\.max_per_user\)/);
			}
			const { token: theirs } = (await (
				await fetch(`${urls.auth}/tokens`, {
					method: "POST",
					headers: { authorization: `Basic ${Buffer.from("admin:a password").toString("base64")}` },
				})
			).json()) as { token: string };
			assert.equal((await fetch(`${urls.stream}/v1/stream`, { headers: { "x-auth-token": theirs } })).status, 429);
			held[0]?.leave();
			await until("the place of the stream that was left", 10, async () => {
				const response = await fetch(`${urls.api}/v1/executions/${id}/output`, { headers });
				await response.text();
				return response.status === 200 || undefined;
			});
			const again = await open(`${urls.stream}/v1/stream`, { "svc-api-key": key });
			again.leave();
			await ask(`/v1/executions/${id}`, { method: "DELETE" });
			assert.match((await held[1]?.text) ?? "", /event: EOF/);
		},
		{ stream: { max_per_user: 2 } },
	));

test.run();
