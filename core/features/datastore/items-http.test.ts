import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type GuardedService, withGuardedService } from "../../testing/http/guarded-service.test-support.ts";

const item = (name: string, ...types: readonly string[]) => ({
	resource_uid: `key_value_pair:svckv.system:${name}`,
	permission_types: types.map((type) => `key_value_pair_${type}`),
});
const rbac = {
	roles: [
		{
			name: "keeper",
			permission_grants: [
				item("open", "view"),
				item("set-me", "set"),
				item("pin", "view"),
				item("gone", "delete"),
				{ permission_types: ["key_value_pair_list"] },
			],
		},
	],
	assignments: [
		{ username: "maria", roles: ["keeper"] },
		{ username: "otto", roles: [] },
		{ username: "watch", roles: ["observer"] },
	],
};

interface Asked {
	readonly service: GuardedService;
	readonly root: string;
	readonly maria: string;
	readonly otto: string;
	status(token: string, method: string, path: string, body?: unknown): Promise<number>;
	names(token: string, query?: string): Promise<readonly unknown[]>;
}

const withKeys = (use: (asked: Asked) => Promise<void>) =>
	withGuardedService(
		async (service) => {
			const [root = "", maria = "", otto = ""] = await Promise.all(["root", "maria", "otto"].map((name) => service.signIn(name)));
			for (const name of ["open", "hidden", "gone", "set-me"]) await service.ask(root, "PUT", `/v1/keys/${name}`, { value: name });
			await service.ask(root, "PUT", "/v1/keys/pin", { value: "4711-canary", secret: true });
			await use({
				service,
				root,
				maria,
				otto,
				status: async (token, method, path, body) => (await service.ask(token, method, `/v1${path}`, body)).status,
				async names(token, query = "") {
					const { body } = await service.ask(token, "GET", `/v1/keys${query}`);
					return (body as unknown as { name: string }[]).map(({ name }) => name);
				},
			});
		},
		{ rbac },
	);

test("a value that is not a text is kept as its JSON text, also as a secret", () =>
	withKeys(async ({ service: { ask }, root }) => {
		for (const value of [{ a: 1 }, 5, 0, true, false, [1, "x"], [], {}]) {
			const { status, body } = await ask(root, "PUT", "/v1/keys/json", { value });
			assert.equal(status, 200);
			assert.equal(body["value"], JSON.stringify(value));
			assert.equal((await ask(root, "GET", "/v1/keys/json")).body["value"], JSON.stringify(value));
		}
		await ask(root, "PUT", "/v1/keys/json", { value: { pin: "4711-canary" }, secret: true });
		assert.equal((await ask(root, "GET", "/v1/keys/json")).body["value"], "********");
		assert.equal((await ask(root, "GET", "/v1/keys/json?decrypt=true")).body["value"], '{"pin":"4711-canary"}');
		for (const body of [{ value: null }, {}]) {
			const answer = await ask(root, "PUT", "/v1/keys/none", body);
			assert.equal(answer.status, 400);
			assert.match(String(answer.body["faultstring"]), /^value: /);
		}
	}));

test("the record has the members of the reference, and names may hold slashes, dots, colons and any letters", () =>
	withKeys(async ({ service: { ask }, root }) => {
		for (const name of ["a/b/c", "a.b", "a:b", "größe 鍵", "rotate", "?&=#%", "..a", "null"]) {
			const path = `/v1/keys/${encodeURIComponent(name)}`;
			const { status, body } = await ask(root, "PUT", path, {
				id: "ignored",
				name: "ignored",
				value: "1",
				ttl: 60,
				description: "d",
				other: 1,
			});
			assert.equal(status, 200, name);
			const { id, expire_timestamp, ...rest } = body;
			assert.match(String(id), /^[0-9a-f]{24}$/);
			assert.match(String(expire_timestamp), /^\d{4}-.*\.\d{6}Z$/);
			const uid = `key_value_pair:svckv.system:${name}`;
			assert.deepEqual(rest, { uid, name, value: "1", secret: false, encrypted: false, scope: "svckv.system", description: "d" });
			assert.deepEqual((await ask(root, "GET", path)).body, body);
			assert.equal((await ask(root, "DELETE", path)).status, 204);
			assert.equal((await ask(root, "GET", path)).status, 404);
		}
	}));

test("items of the system need a grant each, whether they exist or not", () =>
	withKeys(async ({ status, names, maria, otto, root }) => {
		assert.equal(await status(maria, "GET", "/keys/open"), 200);
		for (const name of ["hidden", "absent"]) assert.equal(await status(maria, "GET", `/keys/${name}`), 403);
		assert.equal(await status(maria, "PUT", "/keys/open", { value: "x" }), 403);
		assert.equal(await status(maria, "PUT", "/keys/set-me", { value: "x" }), 200);
		assert.equal(await status(maria, "GET", "/keys/set-me"), 200);
		assert.equal(await status(maria, "DELETE", "/keys/set-me"), 403);
		assert.equal(await status(maria, "DELETE", "/keys/gone"), 204);
		assert.deepEqual(await names(maria), ["open", "set-me", "pin"]);
		assert.deepEqual(await names(maria, "?limit=2&offset=1"), ["set-me", "pin"]);
		assert.equal(await status(otto, "GET", "/keys"), 403);
		assert.equal(await status(otto, "GET", "/keys/open"), 403);
		assert.deepEqual(await names(root, "?sort=-name&limit=2"), ["set-me", "pin"]);
	}));

test("one's own items need no grant, those of others are for administrators", () =>
	withKeys(async ({ status, names, service: { ask }, otto, maria, root }) => {
		assert.equal(await status(otto, "PUT", "/keys/mine", { value: "o", scope: "user", secret: true }), 200);
		const { body } = await ask(otto, "GET", "/v1/keys/mine?scope=svckv.user&decrypt=true");
		assert.deepEqual(
			[body["value"], body["user"], body["name"], body["uid"]],
			["o", "otto", "mine", "key_value_pair:svckv.user:otto:mine"],
		);
		assert.deepEqual(await names(otto, "?scope=user&decrypt=true"), ["mine"]);
		assert.deepEqual(await names(otto, "?user=otto&prefix=mi"), ["mine"]);
		assert.equal(await status(maria, "GET", "/keys/mine?scope=user"), 404);
		assert.equal(await status(maria, "GET", "/keys/mine?user=otto"), 403);
		assert.equal(await status(maria, "GET", "/keys?user=otto"), 403);
		assert.equal(await status(maria, "PUT", "/keys/mine", { value: "m", user: "otto" }), 403);
		assert.equal(await status(maria, "DELETE", "/keys/mine?user=otto"), 403);
		assert.equal((await ask(root, "GET", "/v1/keys/mine?user=otto&decrypt=true")).body["value"], "o");
		assert.equal(await status(root, "PUT", "/keys/theirs", { value: "r", user: "otto" }), 200);
		assert.deepEqual(await names(otto, "?scope=user"), ["mine", "theirs"]);
		assert.equal((await ask(maria, "PUT", "/v1/keys/x", { value: "m", scope: "user", user: null })).body["user"], "maria");
		assert.deepEqual(await names(maria, "?scope=all&prefix=x"), ["x"]);
		assert.equal(await status(otto, "GET", "/keys/mine?scope=nowhere"), 400);
	}));

test("decrypting items of the system, cipher text and rotation are for administrators", () =>
	withKeys(async ({ status, service, maria, root }) => {
		const { ask, signIn, log } = service;
		assert.equal((await ask(maria, "GET", "/v1/keys/pin")).body["value"], "********");
		assert.equal((await ask(maria, "GET", "/v1/keys/pin?show_secrets=true")).body["value"], "********");
		for (const path of ["/keys/pin?decrypt=true", "/keys?decrypt=true", "/keys?scope=all&decrypt=true"])
			assert.equal(await status(maria, "GET", path), 403, path);
		assert.equal(await status(await signIn("watch"), "GET", "/keys/pin?decrypt=1"), 403);
		const { body: clear } = await ask(root, "GET", "/v1/keys/pin?decrypt=true");
		assert.deepEqual([clear["value"], clear["secret"], clear["encrypted"]], ["4711-canary", true, false]);
		const { body: stored } = await ask(root, "GET", "/v1/keys/pin?show_secrets=true");
		assert.match(String(stored["value"]), /^svc2\./);
		assert.equal(await status(maria, "PUT", "/keys/set-me", { value: stored["value"], encrypted: true }), 403);
		assert.equal(await status(root, "PUT", "/keys/copy", { value: stored["value"], encrypted: true }), 200);
		assert.equal(await status(root, "PUT", "/keys/copy", { value: "junk", encrypted: true }), 400);
		assert.equal(await status(maria, "POST", "/keys/rotate", {}), 403);
		assert.equal((await ask(root, "POST", "/v1/keys/rotate", {})).body["reencrypted"], 2);
		assert.ok(
			log.some((line) => line.includes("datastore item decrypted") && line.includes('"user":"root"') && line.includes('"key":"pin"')),
		);
		assert.ok(!log.join("").includes("4711-canary"));
	}));

test("a key with scopes may do what they name, on one's own items as well", () =>
	withKeys(async ({ service, root }) => {
		const { body } = await service.ask(root, "POST", "/v1/apikeys", { scopes: ["key_value_pair_view"], user: "otto" });
		const ask = async (method: string, path: string, sent?: unknown) =>
			(
				await fetch(`${service.urls.api}/v1${path}`, {
					method,
					headers: { "svc-api-key": String(body["key"]), "content-type": "application/json" },
					...(sent !== undefined && { body: JSON.stringify(sent) }),
				})
			).status;
		await service.ask(root, "PUT", "/v1/keys/mine", { value: "o", user: "otto" });
		assert.equal(await ask("GET", "/keys/mine?scope=user"), 200);
		assert.equal(await ask("PUT", "/keys/mine", { value: "x", scope: "user" }), 403);
		assert.equal(await ask("DELETE", "/keys/mine?scope=user"), 403);
		assert.equal(await ask("GET", "/keys/open"), 403);
	}));

test("without access control nobody may name another user", () =>
	withGuardedService(
		async ({ ask, signIn }) => {
			const maria = await signIn("maria");
			assert.equal((await ask(maria, "PUT", "/v1/keys/mine", { value: "1", user: "maria" })).status, 200);
			assert.equal((await ask(maria, "PUT", "/v1/keys/mine", { value: "1", user: "otto" })).status, 403);
			assert.equal((await ask(maria, "GET", "/v1/keys?user=otto")).status, 403);
			assert.equal((await ask(maria, "PUT", "/v1/keys/pin", { value: "1", secret: true })).status, 200);
			assert.equal((await ask(maria, "GET", "/v1/keys/pin?decrypt=true")).body["value"], "1");
		},
		{ rbac: { enable: false } },
	));

test.run();
