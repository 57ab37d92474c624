import type { Knex } from "knex";

/** A step of the schema. Once released it never changes: a later change is a migration of its own. */
export interface Migration {
	/** Number and topic; kept in the table `migrations` of every database that has it. */
	readonly name: string;
	up(knex: Knex): Promise<void>;
}

/** A table as it was when its migration was written. */
export interface TableDefinition {
	/** `text` holds JSON as well. The column `id` is the primary key. */
	readonly columns: Readonly<Record<string, "text" | "integer" | "real" | "boolean">>;
	readonly unique?: readonly (readonly string[])[];
	readonly indexes?: readonly (readonly string[])[];
	/** By column: rows in which it is null have no place in the index. */
	readonly sparseIndexes?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export async function createTable(knex: Knex, name: string, definition: TableDefinition): Promise<void> {
	const { columns, unique = [], indexes = [], sparseIndexes = {} } = definition;
	await knex.schema.createTable(name, (table) => {
		for (const [column, type] of Object.entries(columns)) {
			const builder = addColumn(table, column, type);
			if (column === "id") builder.notNullable().primary();
		}
		for (const fields of unique) table.unique([...fields]);
		for (const fields of indexes) table.index([...fields]);
		for (const [column, combinations] of Object.entries(sparseIndexes)) {
			for (const fields of combinations) table.index([...fields], undefined, { predicate: knex.whereNotNull(column) });
		}
	});
}

function addColumn(table: Knex.CreateTableBuilder, name: string, type: "text" | "integer" | "real" | "boolean"): Knex.ColumnBuilder {
	if (type === "integer") return table.bigInteger(name);
	if (type === "real") return table.double(name);
	return type === "boolean" ? table.boolean(name) : table.text(name);
}
