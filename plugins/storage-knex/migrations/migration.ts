/** Type of a column; `text` also holds JSON. */
export type ColumnType = "text" | "integer" | "real" | "boolean";

/** Fields of several indexes. */
export type Combinations = readonly (readonly string[])[];

/** Indexes of a table. */
export interface IndexDefinition {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	/** Indexes by column that omit the rows in which the column is null. */
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
}

/** Definition of a table. The column `id` is the primary key. */
export interface TableDefinition extends IndexDefinition {
	readonly columns: Readonly<Record<string, ColumnType>>;
}

/**
 * A numbered migration of the schema, written without the current declarations of the kinds. It must not change after its release; a later
 * change of the schema is a new migration. A new kind, field or index needs only a declaration (see declared-migrations.ts).
 */
export interface Migration {
	/** Number and topic. Recorded in the table `migrations` of every database where it was run. */
	readonly name: string;
	/** New tables. The other members, by table, change tables of earlier migrations, except the member for rows. */
	readonly tables?: Readonly<Record<string, TableDefinition>>;
	/** New columns, which are null in existing rows. */
	readonly columns?: Readonly<Record<string, TableDefinition["columns"]>>;
	/** Rows of new tables: by table, a select of all its columns in their order, in SQL that every database understands. */
	readonly insertedRows?: Readonly<Record<string, string>>;
	/** Indexes to drop. */
	readonly droppedIndexes?: Readonly<Record<string, Combinations>>;
	/** Unique indexes to drop. */
	readonly droppedUniqueIndexes?: Readonly<Record<string, Combinations>>;
	/** New indexes, created after others were dropped. */
	readonly indexes?: Readonly<Record<string, IndexDefinition>>;
}
