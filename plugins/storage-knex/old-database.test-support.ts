import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "../../core/testing/services/postgres.test-support.ts";
import type { KnexStorageOptions } from "./index.ts";
import { administer } from "./postgres-database.test-support.ts";
import { assertPostgresSchema } from "./postgres-schema.test-support.ts";
import { assertSchema, withFile } from "./sqlite-schema.test-support.ts";

/** What version 0.1.0 left behind; fixtures/README.md says how it was made. */
const fixture = fileURLToPath(new URL("./fixtures/0.1.0", import.meta.url));

export const packs = join(fixture, "packs");

export type Row = Readonly<Record<string, unknown>>;

/** A database as an earlier version has left it, and the data directory beside it. */
export interface OldDatabase {
	readonly directory: string;
	readonly options: KnexStorageOptions;
	/** Tables of the kinds that the version knew. */
	listTables(): Promise<readonly string[]>;
	/** Rows of a table in the order of their ids, as the database has them. */
	readRows(table: string): Promise<readonly Row[]>;
	/** Throws unless every kind has the table that its declaration says. */
	assertSchema(): Promise<void>;
	remove(): Promise<void>;
}

export async function createOldFile(): Promise<OldDatabase> {
	const directory = await createDataDirectory();
	const file = join(directory, "svc.db");
	const [schema, records] = await Promise.all([readFixture("schema.sqlite.sql"), readFixture("records.sql")]);
	await withFile(file, (database) => database.exec(`begin; ${schema} ${records} commit;`));
	return {
		directory,
		options: { client: "sqlite" },
		listTables,
		readRows: (table) => withFile(file, (database) => database.prepare(`select * from "${table}" order by id`).all([]) as unknown as Row[]),
		assertSchema: () => withFile(file, assertSchema),
		remove: () => rm(directory, { recursive: true }),
	};
}

export async function createOldPostgres(): Promise<OldDatabase> {
	const directory = await createDataDirectory();
	const { url, drop } = await createTestDatabase();
	await administer(url, await readFixture("schema.postgres.sql"));
	await administer(url, await readFixture("records.sql"));
	return {
		directory,
		options: { client: "postgres", url },
		listTables,
		readRows: (table) => administer<Row>(url, `select * from "${table}" order by id`),
		assertSchema: () => assertPostgresSchema(url),
		async remove() {
			await drop();
			await rm(directory, { recursive: true });
		},
	};
}

/** With the key that the fixture's datastore was encrypted with, which is of zeros only. */
async function createDataDirectory(): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), "svc-old-"));
	const keys = { current: "00000000", keys: { "00000000": Buffer.alloc(32).toString("base64url") } };
	await writeFile(join(directory, "datastore-key.json"), JSON.stringify(keys), { mode: 0o600 });
	return directory;
}

/** There are records of every one. */
async function listTables(): Promise<readonly string[]> {
	const records = await readFixture("records.sql");
	const tables = new Set([...records.matchAll(/^insert into "(\w+)"/gm)].map(([, table = ""]) => table));
	return [...tables].filter((table) => !table.startsWith("migrations"));
}

function readFixture(name: string): Promise<string> {
	return readFile(join(fixture, name), "utf8");
}
