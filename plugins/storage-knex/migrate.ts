import type { Knex } from "knex";
import { SvcError } from "../../core/contract/index.ts";
import { listDeclaredMigrations, optionalBeginnings, optionalPrefix, partNamesOf, toDeclaredMigrations } from "./declared-migrations.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { runMigration } from "./migrations/run-migration.ts";

/** Table with the names of the migrations that were run. */
const tableName = "migrations";

/** Migrates the tables to the state that this version needs, in one transaction. Throws `SVC_CONFIG` for a database of a newer version. */
export async function migrate(knex: Knex, database: string): Promise<void> {
	const pending = await findPending(knex, database);
	const migrationSource: Knex.MigrationSource<Migration> = {
		getMigrations: async () => [...pending],
		getMigrationName: ({ name }) => name,
		getMigration: async (migration) => ({ up: (transaction) => runAndRecord(transaction, migration), down: rejectRollback }),
	};
	// knex need not validate the list, which contains only pending migrations: `findPending` has checked the others.
	await knex.migrate.latest({ migrationSource, tableName, disableMigrationsListValidation: true });
}

/** Returns the names of the pending migrations. Throws `SVC_CONFIG` for a database of a newer version. Changes nothing. */
export async function planMigrations(knex: Knex, database: string): Promise<readonly string[]> {
	const pending = await findPending(knex, database);
	return pending.map(({ name }) => name);
}

/** Returns the names of all migrations of this version. Names with the prefix of optional kinds are not included. */
export function listKnownMigrations(): readonly string[] {
	return [...migrations.map(({ name }) => name), ...listDeclaredMigrations()];
}

/** Returns the pending migrations. The numbered ones are first, because they change tables of older versions. */
async function findPending(knex: Knex, database: string): Promise<readonly Migration[]> {
	const finishedNames = (await knex.schema.hasTable(tableName)) ? await readFinishedNames(knex) : [];
	const knownNames = new Set(listKnownMigrations());
	const unknown = finishedNames.find(
		(name) => !knownNames.has(name) && !optionalBeginnings.some((beginning) => name.startsWith(beginning)),
	);
	if (unknown === undefined)
		return [...migrations.filter(({ name }) => !finishedNames.includes(name)), ...toDeclaredMigrations(finishedNames)];
	const message = `database "${database}" belongs to a newer version of svc: it has the migration "${unknown}", which this version does not have`;
	throw new SvcError("SVC_CONFIG", `${message}; start the newer version, or use another database`);
}

async function runAndRecord(knex: Knex, migration: Migration): Promise<void> {
	await runMigration(knex, migration);
	if (migrations.includes(migration)) return;
	// knex records only the name of the migration. Also record the parts of a new table, so that a later version adds only new parts.
	const prefix = migration.name.startsWith(optionalPrefix) ? optionalPrefix : "";
	const partNames = partNamesOf(migration)
		.map((name) => prefix + name)
		.filter((name) => name !== migration.name);
	if (partNames.length > 0) await knex(tableName).insert(partNames.map((name) => ({ name })));
}

async function readFinishedNames(knex: Knex): Promise<readonly string[]> {
	const rows: { readonly name: string }[] = await knex(tableName).select("name").orderBy("id");
	return rows.map(({ name }) => name);
}

async function rejectRollback(): Promise<void> {
	throw new Error("migrations cannot be reverted");
}
