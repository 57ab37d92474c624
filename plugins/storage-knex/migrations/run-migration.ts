import type { Knex } from "knex";
import type { ColumnType, IndexDefinition, Migration, TableDefinition } from "./migration.ts";

/** Runs a migration: creates its tables, rows, columns and indexes, and drops indexes. */
export async function runMigration(knex: Knex, migration: Migration): Promise<void> {
	const { tables = {}, columns = {}, insertedRows = {}, droppedIndexes = {}, droppedUniqueIndexes = {}, indexes = {} } = migration;
	for (const [name, definition] of Object.entries(tables)) await createTable(knex, name, definition);
	for (const [name, rows] of Object.entries(insertedRows)) await knex.raw(`insert into ?? ${rows}`, [name]);
	for (const [name, added] of Object.entries(columns)) await knex.schema.alterTable(name, (table) => addColumns(table, added));
	for (const [name, combinations] of Object.entries(droppedIndexes)) {
		await knex.schema.alterTable(name, (table) => {
			for (const fields of combinations) table.dropIndex([...fields]);
		});
	}
	for (const [name, combinations] of Object.entries(droppedUniqueIndexes)) {
		await knex.schema.alterTable(name, (table) => {
			// Unique keys are created as indexes, but `dropUnique` of knex would drop a constraint on PostgreSQL.
			for (const fields of combinations) table.dropIndex([], [name, ...fields, "unique"].join("_"));
		});
	}
	for (const [name, added] of Object.entries(indexes)) await knex.schema.alterTable(name, (table) => addIndexes(knex, table, added));
}

async function createTable(knex: Knex, name: string, definition: TableDefinition): Promise<void> {
	await knex.schema.createTable(name, (table) => {
		addColumns(table, definition.columns);
		addIndexes(knex, table, definition);
	});
}

function addColumns(table: Knex.CreateTableBuilder, columns: TableDefinition["columns"]): void {
	for (const [name, type] of Object.entries(columns)) {
		const column = addColumn(table, name, type);
		if (name === "id") column.notNullable().primary();
	}
}

function addColumn(table: Knex.CreateTableBuilder, name: string, type: ColumnType): Knex.ColumnBuilder {
	if (type === "integer") return table.bigInteger(name);
	if (type === "real") return table.double(name);
	return type === "boolean" ? table.boolean(name) : table.text(name);
}

function addIndexes(knex: Knex, table: Knex.CreateTableBuilder, { unique = [], indexes = [], sparseIndexes = {} }: IndexDefinition): void {
	for (const fields of unique) table.unique([...fields]);
	for (const fields of indexes) table.index([...fields]);
	for (const [column, combinations] of Object.entries(sparseIndexes)) {
		for (const fields of combinations) table.index([...fields], undefined, { predicate: knex.whereNotNull(column) });
	}
}
