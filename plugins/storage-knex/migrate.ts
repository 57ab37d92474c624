import type { Knex } from "knex";
import { SvcError } from "../../core/contract/index.ts";
import { migrations } from "./migrations/index.ts";
import type { Migration } from "./migrations/migration.ts";

const tableName = "migrations";

const migrationSource: Knex.MigrationSource<Migration> = {
	getMigrations: async () => [...migrations],
	getMigrationName: ({ name }) => name,
	getMigration: async ({ up }) => ({ up, down: refuse }),
};

/** Bring the tables to the state this version needs, all in one transaction. Refuses a database of a newer version. */
export async function migrate(knex: Knex, database: string): Promise<void> {
	await assertKnown(knex, database);
	await knex.migrate.latest({ migrationSource, tableName });
}

async function assertKnown(knex: Knex, database: string): Promise<void> {
	if (!(await knex.schema.hasTable(tableName))) return;
	const done: { readonly name: string }[] = await knex(tableName).select("name").orderBy("id");
	const known = new Set(migrations.map(({ name }) => name));
	const unknown = done.find(({ name }) => !known.has(name));
	if (!unknown) return;
	const message = `database "${database}" is of a newer version of svc: it has the migration "${unknown.name}", which this version does not know`;
	throw new SvcError("SVC_CONFIG", `${message}; start the newer version, or use another file`);
}

async function refuse(): Promise<void> {
	throw new Error("migrations go forward only");
}
