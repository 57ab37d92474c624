import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import { entityKinds, type FieldType, isSvcError, type Storage } from "../../core/contract/index.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { assertPostgresSchema } from "./postgres-schema.test-support.ts";
import { assertSchema, withFile } from "./sqlite-schema.test-support.ts";
import { listChanges, toContext, withDirectory } from "./storage-context.test-support.ts";

interface Declaration {
	readonly fields: Readonly<Record<string, FieldType>>;
	readonly unique?: readonly (readonly string[])[];
	readonly indexes?: readonly (readonly string[])[];
	readonly sparseIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

const declared: Record<string, object> = entityKinds;
const { trace } = entityKinds;

/** A kind as a version after this one declares it, and as the one after that does. */
const firstDiary: Declaration = { fields: { id: "text", page: "integer", text: "json" }, unique: [["page"]] };
const laterDiary: Declaration = {
	fields: { ...firstDiary.fields, mood: "text", read: "boolean" },
	unique: [["page"]],
	indexes: [["mood", "page"]],
	sparseIndexes: { read: [["read"]] },
};
/** A kind of today with a field more. */
const laterTrace = { ...trace, fields: { ...trace.fields, weight: "real" }, indexes: [...(trace.indexes ?? []), ["weight"]] };

interface Place {
	readonly options: KnexStorageOptions;
	readonly directory: string;
	assertSchema(): Promise<void>;
}

async function onSqlite(run: (place: Place) => Promise<void>): Promise<void> {
	await withDirectory((directory) =>
		run({ options: { client: "sqlite" }, directory, assertSchema: () => withFile(join(directory, "svc.db"), assertSchema) }),
	);
}

async function onPostgres(run: (place: Place) => Promise<void>): Promise<void> {
	const { url, drop } = await createTestDatabase();
	const place: Place = { options: { client: "postgres", url }, directory: "/nonexistent", assertSchema: () => assertPostgresSchema(url) };
	await run(place).finally(drop);
}

/** Runs with these declarations besides those of today. */
async function declaring(added: object, run: () => Promise<void>): Promise<void> {
	Object.assign(declared, added);
	try {
		await run();
	} finally {
		for (const kind of Object.keys(added)) delete declared[kind];
		Object.assign(declared, { trace });
	}
}

async function plan({ options, directory }: Place): Promise<readonly string[] | undefined> {
	const storage = knexStorage(options).create();
	try {
		return await storage.plan?.(toContext(directory));
	} finally {
		await storage.stop?.();
	}
}

async function withStorage({ options, directory }: Place, use: (storage: Storage) => Promise<void>): Promise<void> {
	const storage = knexStorage(options).create();
	try {
		await storage.start?.(toContext(directory));
		await use(storage);
	} finally {
		await storage.stop?.();
	}
}

for (const [name, on, at] of [
	["SQLite", test, onSqlite],
	["PostgreSQL", postgresTest(test), onPostgres],
] as const) {
	on(`a kind and a field that are only declared get table, column and indexes on ${name}`, () =>
		at(async (place) => {
			await withStorage(place, (storage) => storage.insert("trace", [createTrace("old")]));
			await declaring({ diary: firstDiary }, async () => {
				assert.deepEqual(await plan(place), ["table diaries"]);
				await withStorage(place, (storage) => storage.insert("diary" as "trace", [{ id: "1", page: 1, text: ["rain"] } as never]));
				assert.deepEqual(await plan(place), []);
				await place.assertSchema();
			});
			await declaring({ diary: laterDiary, trace: laterTrace }, async () => {
				assert.deepEqual(await plan(place), [
					"column traces.weight",
					"index traces_weight_index",
					"column diaries.mood",
					"column diaries.read",
					"index diaries_mood_page_index",
					"index diaries_read_index",
				]);
				await withStorage(place, async (storage) => {
					const found: readonly unknown[] = await storage.find("diary" as "trace", {});
					assert.deepEqual(found, [{ id: "1", page: 1, text: ["rain"], mood: null, read: null }]);
					const [old] = await storage.find("trace", { where: { trace_tag: "old" } });
					assert.equal((old as unknown as { weight: unknown }).weight, null);
				});
				await place.assertSchema();
				await withStorage(place, async (storage) => assert.equal(await storage.count("diary" as "trace", {}), 1));
			});
		}),
	);

	on(`a database that was new to a later version has all of its kinds on ${name}, and is refused by those that know less`, () =>
		at(async (place) => {
			const later = { diary: laterDiary, trace: laterTrace };
			await declaring(later, async () => {
				const changes = await plan(place);
				assert.deepEqual(changes, listChanges());
				assert.equal(changes?.at(-1), "table diaries");
				await withStorage(place, async () => {});
				assert.deepEqual(await plan(place), []);
				await place.assertSchema();
			});
			const refuses = (unknown: RegExp) =>
				assert.rejects(
					withStorage(place, async () => {}),
					(error) => isSvcError(error, "SVC_CONFIG") && /newer version/.test(error.message) && unknown.test(error.message),
				);
			await declaring({ trace: laterTrace }, () => refuses(/diaries/));
			await declaring({ trace: laterTrace, diary: firstDiary }, () => refuses(/column diaries\.mood/));
			await declaring({ diary: laterDiary }, () => refuses(/column traces\.weight/));
		}),
	);

	on(`a kind that version 0.1.0 always had, and that a configuration may now leave out, changes nothing on ${name}`, () =>
		at(async (place) => {
			await declaring({ audit_entry: firstDiary }, () => withStorage(place, async () => {}));
			await declaring({ audit_entry: { ...firstDiary, optional: true } }, async () => assert.deepEqual(await plan(place), []));
			await withStorage(place, async () => {});
			await declaring({ audit_entry: { ...laterDiary, optional: true } }, async () => {
				assert.equal((await plan(place))?.includes("optional column audit_entries.mood"), true);
				await withStorage(place, async () => {});
				await place.assertSchema();
			});
		}),
	);
}

test.run();
