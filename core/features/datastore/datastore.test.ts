import * as assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import {
	isSvcError,
	type KeyValueEntity,
	type Storage,
	type StoragePlugin,
	type SvcConfig,
	type SvcErrorCode,
} from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import { findKeyExposure } from "../../secrets/encryption/key-file.ts";
import { createLogger } from "../../service/logger.ts";
import { createEngine } from "../../service/service.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { createSharedStorage, type Door } from "../../testing/engine/shared-storage.test-support.ts";
import type { ItemInput } from "./items-exports.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const root: Principal = { username: "root", isAdmin: true, authentication: { method: "none" } };
const maria: Principal = { username: "maria", isAdmin: false, roles: [], authentication: { method: "none" } };

interface Subject {
	readonly engine: Engine;
	readonly directory: string;
	readonly log: string[];
	/** Seconds to add to the time. */
	pass(seconds: number): void;
	/** Payloads of trigger instances by the last word of the type, oldest first. */
	events(word: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
	/** Items as they are kept. */
	stored(): Promise<readonly KeyValueEntity[]>;
	/** Resolves when what had expired at the start is gone. */
	swept(): Promise<void>;
	/** Stop and start again on the same directory. */
	restart(): Promise<Engine>;
}

type Use = (subject: Subject) => Promise<void>;

/** An engine on the chosen backend, or with the plugins that `options` names. */
async function withDatastore(use: Use, options: Partial<SvcConfig> = {}): Promise<void> {
	const backend = createBackend();
	const { storage = backend.storage } = options;
	const directory = await mkdtemp(join(tmpdir(), "svc-datastore-"));
	const log: string[] = [];
	const stream = { write: (text: string) => void log.push(text) };
	let passed = 0;
	let opened: Storage | undefined;
	const kept: StoragePlugin = { ...storage, create: (...given) => (opened = storage.create(...given)) };
	const create = () =>
		createEngine(
			{ event_bus: backend.eventBus, runners: [], auth: { enable: false }, data_dir: directory, ...options, storage: kept },
			{
				directory,
				clock: { now: () => Date.now() * 1_000 + passed },
				logger: createLogger({ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] }, { debug: false, stream }),
			},
		);
	let engine = create();
	try {
		await engine.start();
		await use({
			engine,
			directory,
			log,
			pass(seconds) {
				passed += seconds * 1_000_000;
			},
			async events(word) {
				const where = { trigger_type: `core.svc.key_value_pair.${word}` };
				return ((await opened?.find("trigger_instance", { where })) ?? []).map(({ payload }) => payload);
			},
			stored: async () => (await opened?.find("key_value", {})) ?? [],
			async swept() {
				const isDone = async () => (await opened?.find("duty", { where: { name: "datastore_sweep" } }))?.[0]?.done_at != null;
				while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 2));
			},
			async restart() {
				await engine.stop();
				engine = create();
				await engine.start();
				return engine;
			},
		});
	} finally {
		await engine.stop();
		await backend.release();
		await rm(directory, { recursive: true, force: true });
	}
}

/** One test with an engine of its own. */
function withItems(name: string, use: Use, options?: Partial<SvcConfig>): void {
	exceptOnPostgres(name, () => withDatastore(use, options));
}

/** The same, of what several writes at once do: also on PostgreSQL. */
function withParallelWrites(name: string, use: Use, options?: Partial<SvcConfig>): void {
	test(name, () => withDatastore(use, options));
}

const refused = (code: SvcErrorCode, message: RegExp) => (error: unknown) =>
	isSvcError(error, code) && (message.test(error.message) || assert.fail(error.message));
const secret = (value: string): ItemInput => ({ value, secret: true });

withItems("an item is what was set, replaced and deleted, under any name", async ({ engine: { datastore } }) => {
	for (const name of ["plain", "a.b.c", "a:b", "a/b", "ключ 鍵", "%2F", "x".repeat(400), "null", "__proto__"]) {
		const created = await datastore.set(name, { value: `of ${name}`, description: "d" }, root);
		assert.equal(created.uid, `key_value_pair:svckv.system:${name}`);
		assert.deepEqual(await datastore.get(name, {}, root), created);
		const replaced = await datastore.set(name, { value: "" }, root);
		assert.equal(replaced.id, created.id);
		assert.deepEqual({ ...replaced, description: "d", value: created.value }, created);
		await datastore.remove(name, {}, root);
		await assert.rejects(datastore.get(name, {}, root), refused("SVC_NOT_FOUND", /cannot be found/));
		await assert.rejects(datastore.remove(name, {}, root), refused("SVC_NOT_FOUND", /cannot be found/));
	}
});

withItems("names and lifetimes that cannot be are refused", async ({ engine: { datastore } }) => {
	for (const name of ["", "\0", "a\nb", "\ud800", "x".repeat(501)])
		await assert.rejects(datastore.set(name, { value: "" }, root), refused("SVC_INVALID", /^name: /));
	for (const ttl of [0, -1, 1.5, 1e12])
		await assert.rejects(datastore.set("a", { value: "", ttl }, root), refused("SVC_INVALID", /^ttl: /));
	await assert.rejects(datastore.set("a", { value: "", scope: "sys" }, root), refused("SVC_INVALID", /^scope: must be one of system/));
	await assert.rejects(datastore.set("a", secret(secretMask), root), refused("SVC_INVALID", /hidden value/));
});

withItems("an expired item is absent at once, everywhere, and setting it anew creates it", async (subject) => {
	const { engine, pass, events } = subject;
	const { datastore } = engine;
	await datastore.set("short", { value: "1", ttl: 10 }, root);
	await datastore.set("long", { value: "2" }, root);
	assert.equal(await datastore.accessFor("root").lookup("system", "short"), "1");
	pass(10);
	await assert.rejects(datastore.get("short", {}, root), refused("SVC_NOT_FOUND", /short/));
	assert.deepEqual(
		(await datastore.list({}, root)).map(({ name }) => name),
		["long"],
	);
	assert.equal(await datastore.accessFor("root").lookup("system", "short"), undefined);
	await assert.rejects(datastore.remove("short", {}, root), refused("SVC_NOT_FOUND", /short/));
	assert.equal((await events("delete")).length, 0);
	assert.equal((await datastore.set("short", { value: "3" }, root)).expire_timestamp, undefined);
	assert.equal((await events("create")).length, 3);
	assert.equal((await events("update")).length, 0);
	await datastore.set("short", { value: "3", ttl: 10 }, root);
	assert.equal((await datastore.set("short", { value: "3" }, root)).expire_timestamp, undefined);
});

test("expired items are swept within a minute", () =>
	withDatastore(async ({ engine, pass, restart, stored, swept }) => {
		// Done later it would be done at the later time.
		await swept();
		await engine.datastore.set("short", { value: "1", ttl: 1 }, root);
		await engine.datastore.set("long", { value: "1", ttl: 1_000 }, root);
		pass(61);
		await restart();
		while ((await stored()).length > 1) await new Promise((resolve) => setTimeout(resolve, 2));
		assert.deepEqual(
			(await stored()).map(({ name }) => name),
			["long"],
		);
	}));

withItems("each change leaves the event that tells of it, with secrets masked", async ({ engine: { datastore }, events }) => {
	await datastore.set("a", { value: "1" }, root);
	await datastore.set("a", { value: "1" }, root);
	await datastore.set("a", { value: "2" }, root);
	await datastore.set("a", secret("hidden"), root);
	await datastore.remove("a", {}, root);
	const values = async (word: string, member: string) =>
		(await events(word)).map((payload) => (payload[member] as { value: string }).value);
	assert.deepEqual(await values("create", "object"), ["1"]);
	assert.deepEqual(await values("update", "object"), ["1", "2", secretMask]);
	assert.deepEqual(await values("value_change", "old_object"), ["1", "2"]);
	assert.deepEqual(await values("value_change", "new_object"), ["2", secretMask]);
	assert.deepEqual(await values("delete", "object"), [secretMask]);
});

withParallelWrites(
	"of parallel writes of one key none is lost: one creates, the others update",
	async ({ engine: { datastore }, events }) => {
		await Promise.all(Array.from({ length: 40 }, (_, index) => datastore.set("one", { value: String(index) }, root)));
		const changes = await events("value_change");
		assert.equal((await events("create")).length, 1);
		assert.equal((await events("update")).length, 39);
		assert.equal(changes.length, 39);
		// Each change begins where the one before ended.
		const after = new Map(changes.map(({ old_object, new_object }) => [textOf(old_object), textOf(new_object)]));
		const [created] = await events("create");
		let last = textOf(created?.["object"]);
		for (let count = 0; count < 39; count += 1) last = after.get(last) ?? assert.fail("the chain is broken");
		assert.equal((await datastore.get("one", {}, root)).value, last);
		const removed = await Promise.allSettled(Array.from({ length: 10 }, () => datastore.remove("one", {}, root)));
		assert.equal(removed.filter(({ status }) => status === "fulfilled").length, 1);
		assert.equal((await events("delete")).length, 1);
	},
);

test("two nodes that write one key at once lose no event", async () => {
	const { createDoor, release } = createSharedStorage();
	const toNode = ({ plugin, eventBus }: Door) => ({ storage: plugin, event_bus: eventBus });
	await withDatastore(
		({ engine: { datastore: one }, events }) =>
			withDatastore(async ({ engine: { datastore: other } }) => {
				await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other).set("k", { value: String(index) }, root)));
				assert.deepEqual([(await events("create")).length, (await events("update")).length], [1, 39]);
				assert.equal((await one.get("k", {}, root)).value, (await other.get("k", {}, root)).value);
			}, toNode(createDoor())),
		toNode(createDoor()),
	).finally(release);
});

withItems("secrets are masked, shown as cipher text or decrypted, and decryptions leave a line", async ({ engine: { datastore }, log }) => {
	assert.equal((await datastore.set("pin", secret("canary-7741"), root)).value, secretMask);
	const masked = await datastore.get("pin", {}, root);
	assert.deepEqual([masked.value, masked.encrypted, masked.secret], [secretMask, true, true]);
	const stored = await datastore.get("pin", { form: "stored" }, root);
	assert.match(stored.value, /^svc2\./);
	assert.equal(stored.encrypted, true);
	const clear = await datastore.get("pin", { form: "decrypted" }, root);
	assert.deepEqual([clear.value, clear.encrypted, clear.secret], ["canary-7741", false, true]);
	assert.equal((await datastore.list({ form: "decrypted" }, root))[0]?.value, "canary-7741");
	assert.equal(log.filter((line) => line.includes("decrypted") && line.includes('"key":"pin"')).length, 2);
	assert.ok(!log.join("").includes("canary-7741"));
	await assert.rejects(datastore.set("pin", { value: secretMask }, root), refused("SVC_INVALID", /hidden value/));
	assert.equal((await datastore.set("pin", { value: "plain" }, root)).secret, false);
});

withItems("cipher text given as such is verified, and refused from others than administrators", async ({ engine: { datastore } }) => {
	await datastore.set("a", secret("word"), root);
	const { value } = await datastore.get("a", { form: "stored" }, root);
	const loaded = await datastore.set("b", { value, encrypted: true }, root);
	assert.deepEqual([loaded.secret, loaded.value], [true, secretMask]);
	assert.equal((await datastore.get("b", { form: "decrypted" }, root)).value, "word");
	const changed = value.slice(0, -3) + (value.endsWith("AAA") ? "BBB" : "AAA");
	await assert.rejects(datastore.set("c", { value: changed, encrypted: true }, root), refused("SVC_INVALID", /integrity check/));
	await assert.rejects(datastore.set("c", { value: "plain", encrypted: true }, root), refused("SVC_INVALID", /not a ciphertext/));
	await assert.rejects(datastore.set("c", { value, encrypted: true }, maria), refused("SVC_FORBIDDEN", /administrators/));
	const otherKey = value.replace(/^svc2\.[0-9a-f]{8}/, "svc2.00000000");
	await assert.rejects(datastore.set("c", { value: otherKey, encrypted: true }, root), refused("SVC_INVALID", /not in the key file/));
});

exceptOnPostgres("the same clear text never gives the same cipher text", () =>
	withDatastore(async ({ engine: { datastore } }) => {
		const seen = new Set<string>();
		for (let count = 0; count < 20; count += 1) {
			await datastore.set("a", secret("word"), root);
			seen.add((await datastore.get("a", { form: "stored" }, root)).value);
		}
		assert.equal(seen.size, 20);
	}),
);

withItems("lists have prefix, paging and order, and count only what is shown", async ({ engine: { datastore }, pass }) => {
	for (const name of ["b.2", "a.1", "b.1", "B.3", "b%x"]) await datastore.set(name, { value: name }, root);
	await datastore.set("b.gone", { value: "", ttl: 1 }, root);
	await datastore.set("b.mine", { value: "mine", scope: "user" }, root);
	pass(1);
	const names = async (query: Parameters<typeof datastore.list>[0]) => (await datastore.list(query, root)).map(({ name }) => name);
	assert.deepEqual(await names({ prefix: "b." }), ["b.2", "b.1"]);
	assert.deepEqual(await names({ prefix: "b", orderBy: [["name", "asc"]] }), ["b%x", "b.1", "b.2"]);
	assert.deepEqual(await names({ orderBy: [["name", "desc"]], limit: 2, offset: 1 }), ["b.1", "b%x"]);
	assert.deepEqual(await names({ names: ["a.1", "B.3", "absent"] }), ["a.1", "B.3"]);
	assert.deepEqual(await names({ prefix: "b.", scope: "user" }), ["b.mine"]);
	assert.deepEqual(await names({ prefix: "b.", scope: "all", limit: 1 }), ["b.2", "b.mine"]);
	assert.deepEqual(await names({ user: "root" }), ["b.mine"]);
});

exceptOnPostgres("without a key secrets are refused, everything else goes on", () =>
	withDatastore(
		async ({ engine: { datastore }, directory }) => {
			await assert.rejects(datastore.set("a", secret("word"), root), refused("SVC_INVALID", /enable_encryption/));
			await datastore.set("a", { value: "word" }, root);
			await assert.rejects(stat(join(directory, "datastore-key.json")));
		},
		{ keyvalue: { enable_encryption: false } },
	),
);

exceptOnPostgres("the key file is for its owner only, kept over restarts, and never replaced while there are secrets", () =>
	withDatastore(async ({ engine, directory, restart, log }) => {
		const file = join(directory, "datastore-key.json");
		assert.equal((await stat(file)).mode & 0o777, 0o600);
		await engine.datastore.set("a", secret("word"), root);
		await chmod(file, 0o640);
		const again = await restart();
		assert.match(log.join(""), /can be read by other users \(mode 640\); chmod 600 it/);
		assert.equal((await again.datastore.get("a", { form: "decrypted" }, root)).value, "word");
		const content = await readFile(file);
		await rm(file);
		const without = await restart();
		await assert.rejects(stat(file));
		assert.match(log.join(""), /no usable key file/);
		assert.equal((await without.datastore.get("a", {}, root)).value, secretMask);
		await assert.rejects(without.datastore.get("a", { form: "decrypted" }, root), refused("SVC_INVALID", /no encryption key/));
		await writeFile(file, content, { mode: 0o600 });
		assert.equal((await without.datastore.get("a", { form: "decrypted" }, root)).value, "word");
	}),
);

exceptOnPostgres("a key file that others may read is reported; one of root that the service may read only by its group is accepted", () => {
	const look = (mode: number, uid: number, self: number) => findKeyExposure("key", { mode: 0o100000 | mode, uid }, self);
	assert.equal(look(0o600, 10_001, 10_001), undefined);
	assert.match(look(0o440, 10_001, 10_001) ?? "", /other users/);
	assert.match(look(0o440, 0, 0) ?? "", /other users/);
	// As Kubernetes mounts a secret for a pod that is not root.
	assert.equal(look(0o440, 0, 10_001), undefined);
	assert.match(look(0o444, 0, 10_001) ?? "", /others than its group \(mode 444\); chmod 440 it/);
	assert.match(look(0o460, 0, 10_001) ?? "", /others than its group/);
});

exceptOnPostgres("no secret value is in the files of the data directory or in the log", () =>
	withDatastore(
		async ({ engine, directory, log }) => {
			await engine.datastore.set("pin", secret("canary-in-a-file"), root);
			await engine.datastore.set("pin", secret("canary-in-a-file-too"), root);
			await engine.datastore.rotate({}, root);
			await engine.datastore.get("pin", { form: "decrypted" }, root);
			await engine.datastore.remove("pin", {}, root);
			await engine.datastore.set("known", { value: "marker-in-clear" }, root);
			await engine.stop();
			assert.deepEqual(await filesWith(directory, "canary-in-a-file"), []);
			assert.ok((await filesWith(directory, "marker-in-clear")).length > 0);
			assert.ok(!log.join("").includes("canary-in-a-file"));
		},
		{ storage: knexStorage({ client: "sqlite" }) },
	),
);

async function filesWith(directory: string, text: string): Promise<readonly string[]> {
	const names = await readdir(directory, { recursive: true, withFileTypes: true });
	const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	try {
		const contents = await Promise.all(files.map(async (file) => ({ file, bytes: await readFile(file) })));
		return contents.filter(({ bytes }) => bytes.includes(text)).map(({ file }) => file);
	} catch (error) {
		// The log of a database that was closed goes into it a little later, and is gone then.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return filesWith(directory, text);
		throw error;
	}
}

function textOf(object: unknown): string {
	return (object as { readonly value: string }).value;
}

withParallelWrites(
	"a user may store so many items and bytes in its own scope, and as many as it likes of the system's where it may",
	async (subject) => {
		const { datastore } = subject.engine;
		const own = { scope: "user" };
		const set = (name: string, value: string, principal = maria) => datastore.set(name, { ...own, value }, principal);
		const results = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => set(`item${index}`, "1")));
		assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
		for (const result of results)
			if (result.status === "rejected") assert.ok(refused("SVC_FORBIDDEN", /at most 3 items .*keyvalue\.user_items/)(result.reason));
		const [first, second] = (await datastore.list(own, maria)).map(({ name }) => name);
		// Other users, the system's items and those that are there are not affected.
		await set("item", "1", { ...maria, username: "mario" });
		for (let index = 0; index < 5; index += 1) await datastore.set(`item${index}`, { value: "x".repeat(200) }, root);
		await set(first as string, "x".repeat(98));
		await assert.rejects(set(first as string, "x".repeat(99)), refused("SVC_FORBIDDEN", /at most 100 bytes .*keyvalue\.user_bytes/));
		await assert.rejects(
			datastore.set(first as string, { ...own, value: "", description: "x".repeat(99) }, maria),
			refused("SVC_FORBIDDEN", /bytes/),
		);
		await assert.rejects(set("another", ""), refused("SVC_FORBIDDEN", /items/));
		// What is deleted, or made smaller, makes room at once, and after a restart what is stored counts as before.
		await datastore.remove(second as string, own, maria);
		await set(first as string, "1");
		await set("another", "1");
		const { datastore: after } = await subject.restart();
		await assert.rejects(after.set("one more", { ...own, value: "" }, maria), refused("SVC_FORBIDDEN", /items/));
	},
	{ keyvalue: { user_items: 3, user_bytes: 100 } },
);

test.run();
