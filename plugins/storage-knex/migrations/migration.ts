/** `text` holds JSON as well. */
export type ColumnType = "text" | "integer" | "real" | "boolean";

export type Combinations = readonly (readonly string[])[];

/** Indexes of a table. */
export interface IndexDefinition {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	/** By column: rows in which it is null have no place in the index. */
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
}

/** A table. The column `id` is the primary key. */
export interface TableDefinition extends IndexDefinition {
	readonly columns: Readonly<Record<string, ColumnType>>;
}

/**
 * A numbered step of the schema, in the words of its time. Once released it never changes: a later change is a step of its own, or none
 * at all where it is a new kind, field or index, which need only be declared (declared-migrations.ts).
 */
export interface Migration {
	/** Number and topic; kept in the table `migrations` of every database that has it. */
	readonly name: string;
	/** New tables. What follows is about those of earlier steps, by table. */
	readonly tables?: Readonly<Record<string, TableDefinition>>;
	/** New columns, in which the rows that are there have null. */
	readonly columns?: Readonly<Record<string, TableDefinition["columns"]>>;
	/** Rows of new tables: by table a select of all its columns in their order, in words that every database understands. */
	readonly filled?: Readonly<Record<string, string>>;
	/** Indexes that go. */
	readonly dropped?: Readonly<Record<string, Combinations>>;
	/** Unique ones that go. */
	readonly droppedUnique?: Readonly<Record<string, Combinations>>;
	/** New indexes, after those that go. */
	readonly indexes?: Readonly<Record<string, IndexDefinition>>;
}
