import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Logger, type Storage, type SvcErrorCode } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { createBackend, type TestBackend } from "../../testing/backends/backend.test-support.ts";
import { clockOf } from "../../testing/engine/clock-of.test-support.ts";
import { type ApiKeys, StoredApiKeys } from "./api-keys.ts";

const admin: Principal = { username: "root", isAdmin: true, authentication: { method: "none" } };
const ann: Principal = { username: "ann", isAdmin: false, authentication: { method: "none" } };

interface Instance {
	readonly apiKeys: ApiKeys;
	readonly storage: Storage;
	readonly log: string[];
	/** Seconds to add to the time. */
	pass(seconds: number): void;
}

const backends: TestBackend[] = [];

test.after.each(async () => {
	for (const backend of backends.splice(0)) await backend.release();
});

function setUp(): Instance {
	const backend = createBackend();
	backends.push(backend);
	const storage = backend.storage.create();
	const log: string[] = [];
	const write = (message: string, fields: unknown = {}) => void log.push(`${message} ${JSON.stringify(fields)}`);
	const logger: Logger = { debug: write, info: write, warn: write, error: write };
	let now = Date.parse("2031-01-01T00:00:00Z") * 1_000;
	return {
		storage,
		log,
		apiKeys: new StoredApiKeys({ storage, logger, clock: clockOf(() => now++), systemUser: "svc" }),
		pass(seconds) {
			now += seconds * 1_000_000;
		},
	};
}

const isError = (code: SvcErrorCode, message: RegExp) => (error: unknown) => isSvcError(error, code) && message.test(error.message);

test("a key is shown once, found again by id and by itself, and kept as a hash only", async () => {
	const { apiKeys, storage, log } = setUp();
	const { entity, key } = await apiKeys.create({ metadata: { used_by: "build farm" } }, ann);
	assert.match(key ?? "", /^[\w-]{86}$/);
	assert.deepEqual([entity.user, entity.enabled, entity.last_used_at, entity.expires_at, entity.scopes], ["ann", true, null, null, null]);
	assert.deepEqual(await apiKeys.get(entity.id), entity);
	assert.deepEqual(await apiKeys.get(key ?? ""), entity);
	assert.equal((await apiKeys.verify(key ?? "")).id, entity.id);
	assert.ok(!JSON.stringify([await storage.find("api_key", {}), log]).includes(key ?? "?"));
	assert.equal(await storage.count("user", { name: "ann" }), 1);
});

test("a key from one instance works on another once its record has been loaded there, also when loaded twice", async () => {
	const [first, second] = [setUp(), setUp()];
	const { key, entity } = await first.apiKeys.create({ user: "robot", metadata: { a: 1 } }, admin);
	await assert.rejects(second.apiKeys.verify(key ?? ""), isError("SVC_UNAUTHORIZED", /Unauthorized.*is unknown/));
	const { last_used_at: _unused, ...exported } = entity;
	const loaded = await second.apiKeys.create(exported, admin);
	assert.equal(loaded.key, null);
	assert.deepEqual(loaded.entity, entity);
	assert.equal((await second.apiKeys.verify(key ?? "")).user, "robot");
	assert.deepEqual({ ...(await second.apiKeys.update(entity.id, exported, admin)), last_used_at: null }, entity);
	await assert.rejects(second.apiKeys.create(exported, admin), isError("SVC_CONFLICT", /key_hash or id/));
	await assert.rejects(second.apiKeys.create({ ...exported, id: "0".repeat(24) }, admin), isError("SVC_CONFLICT", /key_hash/));
	assert.equal((await second.apiKeys.list({})).total, 1);
});

test("the expiry of a key may have an offset, or be relative to now", async () => {
	const { apiKeys, pass } = setUp();
	const expiryOf = async (expires_at: string) => (await apiKeys.create({ expires_at }, ann)).entity.expires_at;
	assert.equal(await expiryOf("2031-01-01T01:00:00+01:00"), "2031-01-01T00:00:00.000000Z");
	const { key } = await apiKeys.create({ expires_at: "+30d" }, ann);
	pass(30 * 86_400 - 1);
	await apiKeys.verify(key ?? "");
	pass(1);
	await assert.rejects(apiKeys.verify(key ?? ""), isError("SVC_UNAUTHORIZED", /expired/));
});

test("disabled and expired keys are refused until they are enabled or prolonged, each refusal with a line in the log", async () => {
	const { apiKeys, log, pass } = setUp();
	const { key, entity } = await apiKeys.create({ expires_at: "2031-01-01T00:01:00Z" }, ann);
	await apiKeys.verify(key ?? "");
	await apiKeys.update(entity.id, { enabled: false }, ann);
	await assert.rejects(apiKeys.verify(key ?? ""), isError("SVC_UNAUTHORIZED", /Unauthorized.*disabled/));
	await apiKeys.update(key ?? "", { enabled: true }, ann);
	await apiKeys.verify(key ?? "");
	pass(60);
	await assert.rejects(apiKeys.verify(key ?? ""), isError("SVC_UNAUTHORIZED", /Unauthorized.*expired/));
	await apiKeys.update(entity.id, { expires_at: null }, ann);
	await apiKeys.verify(key ?? "");
	await apiKeys.remove(key ?? "", ann);
	await assert.rejects(apiKeys.verify(key ?? ""), isError("SVC_UNAUTHORIZED", /is unknown/));
	await assert.rejects(apiKeys.get(entity.id), isError("SVC_NOT_FOUND", /^API key cannot be found$/));
	for (const line of [
		"API key created",
		"API key changed",
		"API key deleted",
		'API key refused {"reason":"the API key is disabled","key_id"',
	]) {
		assert.ok(
			log.some((entry) => entry.startsWith(line)),
			line,
		);
	}
});

test("the last use is kept to the minute", async () => {
	const { apiKeys, pass } = setUp();
	const { key, entity } = await apiKeys.create({}, ann);
	await apiKeys.verify(key ?? "");
	const first = (await apiKeys.get(entity.id)).last_used_at;
	assert.match(first ?? "", /^2031-01-01T00:00:00/);
	await apiKeys.verify(key ?? "");
	assert.equal((await apiKeys.get(entity.id)).last_used_at, first);
	pass(61);
	await apiKeys.verify(key ?? "");
	assert.match((await apiKeys.get(entity.id)).last_used_at ?? "", /^2031-01-01T00:01:01/);
});

test("only administrators make keys for others or give them away", async () => {
	const { apiKeys, storage } = setUp();
	await assert.rejects(apiKeys.create({ user: "root" }, ann), isError("SVC_FORBIDDEN", /user:.*"ann"/));
	const { entity } = await apiKeys.create({ user: "ann" }, ann);
	await assert.rejects(apiKeys.update(entity.id, { user: "root" }, ann), isError("SVC_FORBIDDEN", /user/));
	assert.equal((await apiKeys.update(entity.id, { user: "ann", enabled: true }, ann)).user, "ann");
	assert.equal((await apiKeys.update(entity.id, { user: "bob" }, admin)).user, "bob");
	assert.equal(await storage.count("user", { name: "bob" }), 1);
});

test("a key with scopes is no way to one with more", async () => {
	const { apiKeys } = setUp();
	const scoped: Principal = { ...ann, scopes: ["api_key_create", "api_key_modify", "webhook:deploy"] };
	for (const scopes of [undefined, null, ["action_view"], ["webhook:deploy", "action_view"]]) {
		await assert.rejects(apiKeys.create({ ...(scopes !== undefined && { scopes }) }, scoped), isError("SVC_FORBIDDEN", /scopes/));
	}
	const { entity } = await apiKeys.create({ scopes: ["webhook:/deploy/"] }, scoped);
	assert.deepEqual(entity.scopes, ["webhook:deploy"]);
	await assert.rejects(apiKeys.update(entity.id, { scopes: null }, scoped), isError("SVC_FORBIDDEN", /scopes/));
	assert.equal((await apiKeys.update(entity.id, { enabled: false }, scoped)).enabled, false);
	const wide = await apiKeys.create({}, ann);
	await assert.rejects(apiKeys.update(wide.entity.id, { user: "ann" }, scoped), isError("SVC_FORBIDDEN", /scopes/));
});

test("values that cannot be meant are refused and named", async () => {
	const { apiKeys } = setUp();
	const { entity } = await apiKeys.create({}, ann);
	for (const [input, message] of [
		[{ id: "x" }, /^id:/],
		[{ key_hash: "x" }, /^key_hash:/],
		[{ key_hash: "" }, /^key_hash:/],
		[{ expires_at: "tomorrow" }, /^expires_at:/],
		[{ expires_at: "2031-13-01T00:00:00Z" }, /^expires_at:/],
		[{ created_at: "2031" }, /^created_at:/],
		[{ scopes: ["action_fly"] }, /^scopes: "action_fly"/],
		[{ scopes: ["webhook:"] }, /^scopes:/],
	] as const) {
		await assert.rejects(apiKeys.create(input, ann), isError("SVC_INVALID", message));
	}
	await assert.rejects(apiKeys.update(entity.id, { user: "" }, ann), isError("SVC_INVALID", /^user:/));
	await assert.rejects(apiKeys.update(entity.id, { key_hash: "0".repeat(128) }, ann), isError("SVC_INVALID", /^key_hash:/));
	for (const key_hash of ["", "********", entity.key_hash]) await apiKeys.update(entity.id, { key_hash }, ann);
});

test.run();
