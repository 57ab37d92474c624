import type { Migration } from "./migration.ts";

export const lockedDoors: Migration = {
	name: "0005-locked-doors",
	async up(knex) {
		await knex.schema.alterTable("executions", (table) => {
			table.text("author");
		});
	},
};
