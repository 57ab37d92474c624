import type { Migration } from "./migration.ts";

export const clocksOfNodes: Migration = {
	name: "0006-clocks-of-nodes",
	async up(knex) {
		await knex.schema.alterTable("nodes", (table) => {
			table.double("clock_offset");
		});
	},
};
