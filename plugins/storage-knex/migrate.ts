import type { Knex } from "knex";
import { SvcError } from "../../core/contract/index.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";
import { runMigration } from "./migrations/run-migration.ts";

const tableName = "migrations";

const migrationSource: Knex.MigrationSource<Migration> = {
	getMigrations: async () => [...migrations],
	getMigrationName: ({ name }) => name,
	getMigration: async (migration) => ({ up: (knex) => runMigration(knex, migration), down: refuse }),
};

/** Bring the tables to the state this version needs, all in one transaction. Refuses a database of a newer version. */
export async function migrate(knex: Knex, database: string): Promise<void> {
	await planMigrations(knex, database);
	await knex.migrate.latest({ migrationSource, tableName });
}

/** Names of the migrations that are to be run. Refuses a database of a newer version; changes nothing. */
export async function planMigrations(knex: Knex, database: string): Promise<readonly string[]> {
	const done = (await knex.schema.hasTable(tableName)) ? await readDone(knex) : [];
	const names = migrations.map(({ name }) => name);
	const unknown = done.find((name) => !names.includes(name));
	if (unknown === undefined) return names.filter((name) => !done.includes(name));
	const message = `database "${database}" is of a newer version of svc: it has the migration "${unknown}", which this version does not know`;
	throw new SvcError("SVC_CONFIG", `${message}; start the newer version, or use another database`);
}

async function readDone(knex: Knex): Promise<readonly string[]> {
	const rows: { readonly name: string }[] = await knex(tableName).select("name").orderBy("id");
	return rows.map(({ name }) => name);
}

async function refuse(): Promise<void> {
	throw new Error("migrations go forward only");
}
