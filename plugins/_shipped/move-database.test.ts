// test-timeout: 300
import * as assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError, type Storage, type StoragePlugin } from "../../core/contract/index.ts";
import { createRecords, fill, kinds, type Place, withPlace } from "../../core/testing/database/database.test-support.ts";
import { startEngine } from "../../core/testing/engine/engine.test-support.ts";
import { inFull, rounds } from "../../core/testing/extent.test-support.ts";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { addToRecord, findingsIn } from "../feature-audit/sample-record.test-support.ts";
import { knexStorage } from "../storage-knex/index.ts";
import { type MoveReport, moveDatabase } from "./move-database.ts";

const source = knexStorage({ client: "sqlite" });
const moved = kinds.filter((kind) => kind !== "node" && kind !== "duty");
const quiet = () => {};
// KILL_ROUNDS says how often a move is killed.
const kills = rounds({ short: 1, full: 1 });
/** Records of each kind where a move is killed. */
const many = 100;

const move = (place: Place, to: string, onCopied: (kind: string, count: number) => void = quiet): Promise<MoveReport> =>
	moveDatabase({ config: place.config, env: place.env, to, onCopied });

/** That the target holds what `fill` has put into the source, and nothing else. */
async function assertMoved(target: Storage, count: number): Promise<void> {
	for (const kind of moved) assert.deepEqual(await target.find(kind, {}), createRecords(kind, count), kind);
	assert.equal(await target.count("node", {}), 0);
}

/** A place whose source holds so many records of each kind; its nodes have gone. */
function withFilled(count: number, use: (place: Place) => Promise<void>): Promise<void> {
	return withPlace(async (place) => {
		await mkdir(join(place.directory, "data"));
		await place.open(source, async (storage) => {
			await fill(storage, count);
			await storage.remove("node", { where: {} });
		});
		await use(place);
	});
}

test("everything is copied and compared, except for what nodes say of themselves", () =>
	withFilled(50, async (place) => {
		await writeFile(join(place.directory, "data", "datastore-key.json"), "{}");
		const file = join(place.directory, "moved.db");
		const { kinds: reported, beside } = await move(place, `sqlite:${file}`);
		assert.deepEqual(
			reported.map(({ kind, source: { count }, isEqual }) => [kind, count, isEqual]),
			moved.map((kind) => [kind, 50, true]),
		);
		assert.deepEqual(
			beside.map((line) => line.replace(place.directory, "").split(" (")[0]),
			["/data/datastore-key.json", "/data"],
		);
		// Long output lies outside of the rows in both.
		const outside = await Promise.all([join(place.directory, "data", "svc.db-output"), `${file}-output`].map((path) => readdir(path)));
		assert.deepEqual(
			outside.map(({ length }) => length),
			[13, 13],
		);
		await place.open(knexStorage({ client: "sqlite", file }), (target) => assertMoved(target, 50));
		await place.open(source, async (storage) => assert.equal(await storage.count("execution", {}), 50));
	}));

/** Move an audit record, and see that it is as it was written and goes on where it has come to. */
async function moveRecord(to: string, target: StoragePlugin): Promise<void> {
	await withPlace(async (place) => {
		await mkdir(join(place.directory, "data"));
		await place.open(source, (storage) => addToRecord(storage, 12));
		await move(place, to === "" ? join(place.directory, "moved.db") : to);
		const plugin = to === "" ? knexStorage({ client: "sqlite", file: join(place.directory, "moved.db") }) : target;
		await place.open(plugin, async (storage) => {
			assert.deepEqual(await findingsIn(storage), []);
			await addToRecord(storage, 3);
			assert.equal(await storage.count("audit_entry", {}), 15);
			assert.deepEqual(await findingsIn(storage), []);
			const [third] = await storage.find("audit_entry", { where: { number: 3 } });
			await storage.update("audit_entry", third?.id ?? "", { fields: [] });
			assert.match((await findingsIn(storage)).join(), /^entry 3 was changed/);
		});
	});
}

test("an audit record is as it was written where it has been moved, and goes on there", () => moveRecord("", source));

postgresTest(test)("an audit record that is moved to PostgreSQL is as it was written", async () => {
	const database = await createTestDatabase();
	try {
		await moveRecord(database.url, knexStorage({ client: "postgres", url: database.url }));
	} finally {
		await database.drop();
	}
});

/** Run the command again and again, killed at random points while it copies, and then to its end. */
async function moveWithKills(place: Place, address: string, target: StoragePlugin): Promise<void> {
	const random = createRandom(Date.now() % 1_000_000);
	// A line for each kind of records that was copied: what was copied before the last kill makes none.
	for (let kill = 0; kill < kills; kill += 1) {
		const { code, stderr } = await place.process(["db", "move", "--to", address], { lines: 1 + random(3), milliseconds: random(40) });
		assert.equal(code, null, stderr);
	}
	const { code, stdout, stderr } = await place.process(["db", "move", "--to", address]);
	assert.equal(code, 0, stderr);
	assert.match(stdout, /^execution +100 +100 +[0-9a-f]{16} +equal$/m);
	await place.open(target, (storage) => assertMoved(storage, many));
}

test("a move that is killed again and again comes to the same end", () =>
	withFilled(many, async (place) => {
		const file = join(place.directory, "moved.db");
		await moveWithKills(place, file, knexStorage({ client: "sqlite", file }));
	}));

inFull(postgresTest(test))("a move to PostgreSQL that is killed again and again comes to the same end, and so does the way back", () =>
	withFilled(many, async (place) => {
		const database = await createTestDatabase();
		try {
			await moveWithKills(place, database.url, knexStorage({ client: "postgres", url: database.url }));
			await moveBack(database.url);
		} finally {
			await database.drop();
		}
	}),
);

async function moveBack(url: string): Promise<void> {
	const storage = `knexStorage({ client: "postgres", url: ${JSON.stringify(url)} })`;
	await withPlace(
		async (place) => {
			const file = join(place.directory, "back.db");
			await move(place, file);
			await place.open(knexStorage({ client: "sqlite", file }), (target) => assertMoved(target, many));
		},
		{ storage },
	);
}

/** The error of a move that stops after so many kinds. */
async function interrupt(place: Place, to: string, after: number): Promise<void> {
	let copied = 0;
	const stop = () => {
		copied += 1;
		if (copied === after) throw new Error("interrupted");
	};
	await assert.rejects(move(place, to, stop), /interrupted/);
}

test("what differs afterwards is found, and no service starts on what is not complete", () =>
	withFilled(20, async (place) => {
		const file = join(place.directory, "moved.db");
		const target = knexStorage({ client: "sqlite", file });
		await interrupt(place, file, 5);
		await assert.rejects(startEngine({ storage: target }), /moving a database to this one was interrupted; run `svc db move` again/);
		const [record] = createRecords("execution", 1);
		await place.open(target, async (storage) => void (await storage.update("execution", record?.id ?? "", { user: "changed" })));
		const { kinds: reported } = await move(place, file);
		assert.deepEqual(
			reported.filter(({ isEqual }) => !isEqual).map(({ kind }) => kind),
			["execution"],
		);
		const { code, stdout, stderr } = await place.svc(["db", "move", "--to", file]);
		assert.equal(code, 1);
		assert.match(stdout, /^execution .* DIFFERENT$/m);
		assert.match(stderr, /execution: different in the two databases/);
		await assert.rejects(startEngine({ storage: target }), /was interrupted/);
		await place.open(target, async (storage) => void (await storage.update("execution", record?.id ?? "", { user: record?.user ?? "" })));
		assert.ok((await move(place, file)).kinds.every(({ isEqual }) => isEqual));
		const { stop } = await startEngine({ storage: target });
		await stop();
	}));

const refused = (message: RegExp) => (error: unknown) => isSvcError(error) && (message.test(error.message) || assert.fail(error.message));

test("a target that holds something else, or has been moved to already, is refused", () =>
	withFilled(3, async (place) => {
		const file = join(place.directory, "other.db");
		const target = knexStorage({ client: "sqlite", file });
		await place.open(target, (storage) => storage.insert("user", createRecords("user", 2)));
		await assert.rejects(move(place, file), refused(/the target must be an empty database; it contains user 2$/));
		await place.open(target, (storage) => storage.remove("user", { where: {} }));
		await move(place, file);
		await assert.rejects(move(place, file), refused(/was already moved to the target at 20\d\d-\S+; nothing was copied/));
		const third = join(place.directory, "third.db");
		await interrupt(place, third, 3);
		await place.open(source, (storage) => storage.remove("duty", { where: { name: "database_move" } }));
		await assert.rejects(move(place, third), refused(/another database is being moved to the target/));
	}));

test("a source that is in use is refused", () =>
	withFilled(1, async (place) => {
		const file = join(place.directory, "moved.db");
		await place.open(source, () => assert.rejects(move(place, file), refused(/is in use by another service/)));
	}));

postgresTest(test)("a database on which a node lives is refused, as source and as target", () =>
	withPlace(async (place) => {
		const database = await createTestDatabase();
		try {
			const [node] = createRecords("node", 1);
			assert.ok(node !== undefined);
			const living = { ...node, name: "one", hostname: "host", pid: 7, expires_at: "2999-01-01T00:00:00.000000Z" };
			await mkdir(join(place.directory, "data"));
			await place.open(knexStorage({ client: "postgres", url: database.url }), (storage) => storage.insert("node", [living]));
			await assert.rejects(move(place, database.url), refused(/the target is in use by node "one" \(host, pid 7\); stop the service/));
			const storage = `knexStorage({ client: "postgres", url: ${JSON.stringify(database.url)} })`;
			await withPlace(
				(other) => assert.rejects(move(other, join(other.directory, "moved.db")), refused(/the source is in use by node "one"/)),
				{ storage },
			);
		} finally {
			await database.drop();
		}
	}),
);

postgresTest(test)("a service does not start on a shared database that is being moved", () =>
	withPlace(async (place) => {
		const database = await createTestDatabase();
		try {
			const plugin = knexStorage({ client: "postgres", url: database.url });
			await mkdir(join(place.directory, "data"));
			await place.open(plugin, (storage) =>
				storage.insert("duty", [
					{
						id: "1".repeat(24),
						name: "database_move",
						owner: "a",
						fence: "b",
						lease_expires_at: "2999-01-01T00:00:00.000000Z",
						done_at: null,
					},
				]),
			);
			await assert.rejects(startEngine({ storage: plugin }), /the database is being moved/);
		} finally {
			await database.drop();
		}
	}),
);

test("the password of an address is told to nobody", () =>
	withFilled(1, async (place) => {
		for (const to of ["postgres://svc:hidden%40word@127.0.0.1:1/svc", "oracle://svc:hidden%40word@127.0.0.1:1/svc"]) {
			const { code, stdout, stderr } = await place.svc(["db", "move", "--to", to]);
			assert.equal(code, 1);
			assert.doesNotMatch(stdout + stderr, /hidden/);
			assert.match(stderr, /^error: /);
		}
	}));

test("a storage that has no other addresses cannot be moved", () =>
	withPlace((place) => assert.rejects(move(place, "x.db"), refused(/storage "memory" cannot be moved/)), { storage: "memoryStorage()" }));

test.run();
