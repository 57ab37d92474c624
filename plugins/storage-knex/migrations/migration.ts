/** Type of a column; `text` also holds JSON. */
export type ColumnType = "text" | "integer" | "real" | "boolean";

/** Several indexes, each as the list of its fields. */
export type Combinations = readonly (readonly string[])[];

/** Indexes of a table. */
export interface IndexDefinition {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	/** Sparse indexes by column. They leave out the rows in which it is null. */
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
	/** New tables. `insertedRows` fills them; the other members change tables of earlier migrations. */
	readonly tables?: Readonly<Record<string, TableDefinition>>;
	/** New columns, which are null in existing rows. */
	readonly columns?: Readonly<Record<string, TableDefinition["columns"]>>;
	/** Rows of new tables: for each table, a select of all its columns in their order, in SQL that every supported database accepts. */
	readonly insertedRows?: Readonly<Record<string, string>>;
	/** Indexes to drop. */
	readonly droppedIndexes?: Readonly<Record<string, Combinations>>;
	/** Unique indexes to drop. */
	readonly droppedUniqueIndexes?: Readonly<Record<string, Combinations>>;
	/** New indexes. Created after the drops, because an index may keep its name. */
	readonly indexes?: Readonly<Record<string, IndexDefinition>>;
}
