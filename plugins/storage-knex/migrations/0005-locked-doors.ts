import { createTable, type Migration, type TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	sign_in_places: {
		columns: { id: "text", subject: "text", signed_in_at: "text" },
		unique: [["subject"]],
		indexes: [["signed_in_at"]],
	},
};

export const lockedDoors: Migration = {
	name: "0005-locked-doors",
	async up(knex) {
		for (const [name, definition] of Object.entries(tables)) await createTable(knex, name, definition);
		await knex.schema.alterTable("executions", (table) => {
			table.text("author");
		});
	},
};
