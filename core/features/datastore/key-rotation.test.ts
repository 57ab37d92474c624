import * as assert from "node:assert/strict";
import { createCipheriv, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { Storage, StoragePlugin } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { StoredKeys } from "../../secrets/encryption/key-file.ts";
import { keyIdOf } from "../../secrets/encryption/key-ring.ts";
import { createEngine } from "../../service/service.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const root: Principal = { username: "root", isAdmin: true, authentication: { method: "none" } };

interface Subject {
	readonly datastore: Engine["datastore"];
	readonly storage: Storage;
	readonly keyFile: string;
	keys(): StoredKeys;
	/** Let the storage fail after so many further updates of items. */
	breakAfter(updates: number): void;
	mend(): void;
}

async function withSecrets(count: number, use: (subject: Subject) => Promise<void>): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "svc-rotation-"));
	const keyFile = join(directory, "datastore-key.json");
	const backend = createBackend();
	const plugin = backend.storage;
	let updates = Number.POSITIVE_INFINITY;
	let storage: Storage | undefined;
	const breaking: StoragePlugin = {
		...plugin,
		create(...given) {
			const made = plugin.create(...given);
			const update: Storage["update"] = (...values) => {
				// The engine has others of its own, whenever it is time.
				if (values[0] === "key_value") updates -= 1;
				if (updates < 0) throw new Error("the storage broke");
				return made.update(...values);
			};
			storage = new Proxy(made, { get: (target, name) => (name === "update" ? update : bound(target, name)) });
			return storage;
		},
	};
	const engine = createEngine({
		storage: breaking,
		event_bus: backend.eventBus,
		runners: [],
		auth: { enable: false },
		log: { level: "error" },
		data_dir: directory,
	});
	try {
		await engine.start();
		for (let index = 0; index < count; index += 1) await engine.datastore.set(`s${index}`, { value: `word ${index}`, secret: true }, root);
		await use({
			datastore: engine.datastore,
			storage: storage as unknown as Storage,
			keyFile,
			keys: () => JSON.parse(readFileSync(keyFile, "utf8")) as StoredKeys,
			breakAfter(count) {
				updates = count;
			},
			mend() {
				updates = Number.POSITIVE_INFINITY;
			},
		});
	} finally {
		await engine.stop();
		await backend.release();
		rmSync(directory, { recursive: true, force: true });
	}
}

function bound(target: object, name: string | symbol): unknown {
	const member: unknown = Reflect.get(target, name);
	return typeof member === "function" ? member.bind(target) : member;
}

const clear = async ({ datastore }: Subject, name: string) => (await datastore.get(name, { form: "decrypted" }, root)).value;

async function keysInUse({ storage }: Subject): Promise<readonly string[]> {
	return [...new Set((await storage.find("key_value", { where: { secret: true } })).map(({ value }) => keyIdOf(value)))];
}

test("a rotation encrypts every secret with a new key, and the old one stays readable", () =>
	withSecrets(250, async (subject) => {
		const { datastore, keys } = subject;
		const first = keys().current;
		const { value: exported } = await datastore.get("s7", { form: "stored" }, root);
		const report = await datastore.rotate({}, root);
		assert.deepEqual(report, { key_id: keys().current, added: true, reencrypted: 250, unreadable: 0, forgotten: [] });
		assert.notEqual(report.key_id, first);
		assert.deepEqual(await keysInUse(subject), [report.key_id]);
		for (const index of [0, 200, 249]) assert.equal(await clear(subject, `s${index}`), `word ${index}`);
		await datastore.set("again", { value: exported, encrypted: true }, root);
		assert.equal(await clear(subject, "again"), "word 7");
		assert.deepEqual(await keysInUse(subject), [report.key_id]);
	}));

exceptOnPostgres("a key that no item has used since an earlier rotation is forgotten when that is asked for, and no other", () =>
	withSecrets(3, async ({ datastore, keys }) => {
		const first = keys().current;
		const second = (await datastore.rotate({ forget: true }, root)).key_id;
		assert.deepEqual(Object.keys(keys().keys).sort(), [first, second].sort());
		const third = await datastore.rotate({ forget: true }, root);
		assert.deepEqual(third.forgotten, [first]);
		assert.deepEqual(Object.keys(keys().keys).sort(), [second, third.key_id].sort());
		assert.equal((await datastore.get("s0", { form: "decrypted" }, root)).value, "word 0");
	}),
);

test("what is written, read and deleted meanwhile is never lost and always readable", () =>
	withSecrets(120, async (subject) => {
		const { datastore } = subject;
		const last = new Map<string, string>();
		let isDone = false;
		let count = 0;
		const write = async () => {
			while (!isDone) {
				const name = `s${(count * 7) % 120}`;
				const value = `new ${(count += 1)}`;
				if (count % 11 === 0)
					await datastore.remove(name, {}, root).then(
						() => last.set(name, ""),
						() => undefined,
					);
				else {
					await datastore.set(name, { value, secret: true }, root);
					last.set(name, value);
				}
				const some = `s${(count * 13) % 120}`;
				await datastore.get(some, { form: "decrypted" }, root).catch((error: Error) => assert.match(error.message, /cannot be found/));
			}
		};
		// One writer, so that the order of its writes is known.
		const writing = write();
		for (let turn = 0; turn < 3; turn += 1) await datastore.rotate({ forget: true }, root);
		isDone = true;
		await writing;
		assert.ok(count > 10, `only ${count} writes`);
		for (const [name, value] of last) {
			if (value === "") await assert.rejects(datastore.get(name, {}, root), /cannot be found/);
			else assert.equal(await clear(subject, name), value);
		}
		const { key_id } = await datastore.rotate({}, root);
		assert.deepEqual(await keysInUse(subject), [key_id]);
	}));

test("an interrupted rotation leaves everything readable, and the next call finishes it without another key", () =>
	withSecrets(100, async (subject) => {
		const { datastore, keys, breakAfter, mend } = subject;
		breakAfter(37);
		await assert.rejects(datastore.rotate({}, root), /the storage broke/);
		mend();
		const { current } = keys();
		assert.equal((await keysInUse(subject)).length, 2);
		for (const index of [0, 50, 99]) assert.equal(await clear(subject, `s${index}`), `word ${index}`);
		assert.deepEqual(await datastore.rotate({}, root), { key_id: current, added: false, reencrypted: 63, unreadable: 0, forgotten: [] });
		assert.deepEqual(await keysInUse(subject), [current]);
	}));

/** Cipher text as earlier versions made it: it names no item. */
function toUnbound({ keys }: Subject, text: string): string {
	const { current, keys: known } = keys();
	const header = `svc1.${current}.`;
	const nonce = randomBytes(12);
	const cipher = createCipheriv("aes-256-gcm", Buffer.from(known[current] ?? "", "base64url"), nonce).setAAD(Buffer.from(header));
	const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
	return header + Buffer.concat([nonce, cipher.getAuthTag(), data]).toString("base64url");
}

exceptOnPostgres("items of earlier versions are readable, in templates too, and a rotation binds them", () =>
	withSecrets(3, async (subject) => {
		const { datastore, storage } = subject;
		const items = await storage.find("key_value", { orderBy: [["name", "asc"]] });
		const texts = items.map((_, index) => toUnbound(subject, `old ${index}`));
		for (const [index, item] of items.entries()) await storage.update("key_value", item.id, { value: texts[index] ?? "" });
		assert.equal(await clear(subject, "s1"), "old 1");
		const access = datastore.accessFor("root");
		// Only as what was just read of a secret item, or somebody could keep it as a text of their own.
		const refused = { code: "SVC_FORBIDDEN" };
		await assert.rejects(access.decrypt(texts[1] ?? ""), refused);
		await datastore.set("plain", { value: texts[2] ?? "", scope: "user" }, root);
		await assert.rejects(access.decrypt((await access.lookup("user", "plain")) ?? ""), refused);
		assert.equal(await access.decrypt((await access.lookup("system", "s1")) ?? ""), "old 1");
		await datastore.set("copy", { value: texts[0] ?? "", encrypted: true }, root);
		assert.equal(await clear(subject, "copy"), "old 0");
		assert.equal((await datastore.rotate({}, root)).reencrypted, 4);
		for (const { value } of await storage.find("key_value", { where: { secret: true } })) assert.match(value, /^svc2\./);
		for (const index of [0, 1, 2]) assert.equal(await clear(subject, `s${index}`), `old ${index}`);
		await assert.rejects(datastore.accessFor("root").decrypt(texts[1] ?? ""), refused);
	}),
);

exceptOnPostgres("cipher text of an earlier version that is another user's item cannot be made one's own", () =>
	withSecrets(0, async (subject) => {
		const { datastore, storage } = subject;
		const maria: Principal = { ...root, username: "maria" };
		await datastore.set("own", { value: "of maria", scope: "user", secret: true }, maria);
		const [item] = await storage.find("key_value", { where: { name: "maria:own" } });
		const value = toUnbound(subject, "of maria");
		await storage.update("key_value", item?.id ?? "", { value });
		await assert.rejects(datastore.set("mine", { value, encrypted: true, scope: "user" }, root), { code: "SVC_FORBIDDEN" });
		await datastore.set("own2", { value, encrypted: true, scope: "user" }, maria);
	}),
);

exceptOnPostgres("the value of one item in the place of another is refused", () =>
	withSecrets(2, async (subject) => {
		const { storage } = subject;
		const [one, other] = await storage.find("key_value", {});
		await storage.update("key_value", one?.id ?? "", { value: other?.value ?? "" });
		await assert.rejects(clear(subject, one?.name ?? ""), /encrypted for another datastore item/);
	}),
);

exceptOnPostgres("a service that stops interrupts the rotation", () =>
	withSecrets(100, async ({ datastore }) => {
		const rotating = assert.rejects(datastore.rotate({}, root), /the service is stopping/);
		await datastore.stop();
		await rotating;
	}),
);

exceptOnPostgres("secrets whose key is gone are counted and left alone", () =>
	withSecrets(2, async (subject) => {
		const { datastore, storage, keys } = subject;
		const [item] = await storage.find("key_value", { limit: 1 });
		const foreign = `svc1.00000000.${"A".repeat(60)}`;
		await storage.update("key_value", item?.id ?? "", { value: foreign });
		assert.deepEqual(await datastore.rotate({}, root), {
			key_id: keys().current,
			added: true,
			reencrypted: 1,
			unreadable: 1,
			forgotten: [],
		});
		assert.equal((await storage.get("key_value", item?.id ?? ""))?.value, foreign);
	}),
);

test("two rotations at once are one", () =>
	withSecrets(20, async ({ datastore, keys }) => {
		const [one, other] = await Promise.all([datastore.rotate({}, root), datastore.rotate({}, root)]);
		assert.deepEqual(one, other);
		assert.equal(Object.keys(keys().keys).length, 2);
	}));

exceptOnPostgres("a key file that another process has changed is read again, a damaged one stops nothing but secrets", () =>
	withSecrets(1, async (subject) => {
		const { datastore, keyFile, keys } = subject;
		const good = readFileSync(keyFile);
		writeFileSync(keyFile, "{");
		await assert.rejects(clear(subject, "s0"), /no encryption key/);
		await datastore.set("plain", { value: "1" }, root);
		const added = { current: "0000abcd", keys: { ...(JSON.parse(good.toString()) as StoredKeys).keys, "0000abcd": "A".repeat(43) } };
		writeFileSync(keyFile, JSON.stringify(added));
		assert.equal(await clear(subject, "s0"), "word 0");
		await datastore.set("s1", { value: "x", secret: true }, root);
		assert.deepEqual(
			(await keysInUse(subject)).filter((id) => id === "0000abcd"),
			["0000abcd"],
		);
		assert.equal(keys().current, "0000abcd");
	}),
);

exceptOnPostgres("others than administrators may not rotate", () =>
	withSecrets(0, async ({ datastore }) => {
		await assert.rejects(datastore.rotate({}, { ...root, isAdmin: false }), /only administrators/);
	}),
);

test.run();
