import { createTable, type Migration, type TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	sign_in_places: {
		columns: { id: "text", subject: "text", signed_in_at: "text" },
		unique: [["subject"]],
		indexes: [["signed_in_at"]],
	},
};

/** New columns, in which records of earlier versions have nothing. */
const columns: readonly (readonly [table: string, column: string])[] = [
	["executions", "author"],
	["executions", "scopes"],
	["executions", "known_secrets"],
	["trigger_instances", "known_secrets"],
	["output_chunks", "secret_spans"],
];

export const lockedDoors: Migration = {
	name: "0005-locked-doors",
	async up(knex) {
		for (const [name, definition] of Object.entries(tables)) await createTable(knex, name, definition);
		for (const [name, column] of columns) await knex.schema.alterTable(name, (table) => void table.text(column));
	},
};
