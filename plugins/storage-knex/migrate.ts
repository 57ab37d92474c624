import type { Knex } from "knex";
import { SvcError } from "../../core/contract/index.ts";
import { listDeclared, optional, partsOf, toDeclaredMigrations } from "./declared-migrations.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { runMigration } from "./migrations/run-migration.ts";

const tableName = "migrations";

/** Bring the tables to the state this version needs, all in one transaction. Refuses a database of a newer version. */
export async function migrate(knex: Knex, database: string): Promise<void> {
	const pending = await findPending(knex, database);
	const migrationSource: Knex.MigrationSource<Migration> = {
		getMigrations: async () => [...pending],
		getMigrationName: ({ name }) => name,
		getMigration: async (migration) => ({ up: (transaction) => run(transaction, migration), down: refuse }),
	};
	// What has been done is not listed here, and has been looked at above.
	await knex.migrate.latest({ migrationSource, tableName, disableMigrationsListValidation: true });
}

/** Names of the migrations that are to be run. Refuses a database of a newer version; changes nothing. */
export async function planMigrations(knex: Knex, database: string): Promise<readonly string[]> {
	const pending = await findPending(knex, database);
	return pending.map(({ name }) => name);
}

/** Names of all migrations that this version knows, besides those that begin with `optional`. */
export function listKnown(): readonly string[] {
	return [...migrations.map(({ name }) => name), ...listDeclared()];
}

/** The numbered steps first, as they bring along what older versions kept. */
async function findPending(knex: Knex, database: string): Promise<readonly Migration[]> {
	const done = (await knex.schema.hasTable(tableName)) ? await readDone(knex) : [];
	const names = new Set(listKnown());
	const unknown = done.find((name) => !names.has(name) && !name.startsWith(optional));
	if (unknown === undefined) return [...migrations.filter(({ name }) => !done.includes(name)), ...toDeclaredMigrations(done)];
	const message = `database "${database}" is of a newer version of svc: it has the migration "${unknown}", which this version does not know`;
	throw new SvcError("SVC_CONFIG", `${message}; start the newer version, or use another database`);
}

async function run(knex: Knex, migration: Migration): Promise<void> {
	await runMigration(knex, migration);
	if (migrations.includes(migration)) return;
	// The step itself is noted under its own name, and a table has parts besides that may get company later.
	const prefix = migration.name.startsWith(optional) ? optional : "";
	const parts = partsOf(migration)
		.map((name) => prefix + name)
		.filter((name) => name !== migration.name);
	if (parts.length > 0) await knex(tableName).insert(parts.map((name) => ({ name })));
}

async function readDone(knex: Knex): Promise<readonly string[]> {
	const rows: { readonly name: string }[] = await knex(tableName).select("name").orderBy("id");
	return rows.map(({ name }) => name);
}

async function refuse(): Promise<void> {
	throw new Error("migrations go forward only");
}
