import { type EntityKind, entityKinds, type FieldType } from "../../core/contract/index.ts";
import { migrations } from "./migrations/index.ts";
import type { Combinations, IndexDefinition, Migration, TableDefinition } from "./migrations/migration.ts";
import { toTable } from "./table-names.ts";

/**
 * Derives migrations from the declarations of the kinds (`entityKinds`). They create the tables, columns and indexes that do not exist yet.
 * The table `migrations` records the name of each, so that only new parts are created if a declaration is extended later. An older version
 * does not start if it finds unknown names in that table.
 *
 * @param finishedNames names in the table `migrations`
 */
export function toDeclaredMigrations(finishedNames: readonly string[]): readonly Migration[] {
	const existing = new Set([...partsOfNumbered(), ...finishedNames.map(withoutPrefix)]);
	return declaredTables().flatMap(([table, definition, isOptional]): readonly Migration[] => {
		const withPrefix = (migration: Migration) => (isOptional ? { ...migration, name: optionalPrefix + migration.name } : migration);
		const tableMigration = toTableMigration(table, definition);
		const missing = existing.has(tableMigration.name)
			? toPartMigrations(table, definition).filter(({ name }) => !existing.has(name))
			: [tableMigration];
		return missing.map(withPrefix);
	});
}

/** Prefix of the migrations of kinds that a configuration may leave out. */
export const optionalPrefix = "optional ";

function withoutPrefix(name: string): string {
	return name.startsWith(optionalPrefix) ? name.slice(optionalPrefix.length) : name;
}

/** Tables of kinds that no configuration could leave out in version 0.1.0, so that their migrations have no prefix there. */
const formerlyRequired = [
	"action_aliases",
	"audit_entries",
	"audit_checkpoints",
	"followed_packs",
	"workers",
	"worker_jobs",
	"worker_outputs",
];

/**
 * Beginnings of the names of migrations that may belong to a kind that this configuration leaves out. Unknown names that begin so do not
 * prevent a start.
 */
export const optionalBeginnings: readonly string[] = [
	optionalPrefix,
	...formerlyRequired.flatMap((table) => [`table ${table}`, `column ${table}.`, `index ${table}_`]),
];

/** Returns the names of all tables, columns and indexes that the kinds declare. */
export function listDeclaredMigrations(): readonly string[] {
	return declaredTables().flatMap(([table, definition]) => partNamesOf(toTableMigration(table, definition)));
}

/** Returns the names of the tables, columns and indexes that a migration creates. */
export function partNamesOf({ tables = {}, columns = {}, indexes = {} }: Migration): readonly string[] {
	const parts = [
		...Object.entries(tables).flatMap(([table, definition]) => [
			toTableMigration(table, definition),
			...toPartMigrations(table, definition),
		]),
		...Object.entries(columns).flatMap(([table, added]) => toPartMigrations(table, { columns: added })),
		...Object.entries(indexes).flatMap(([table, added]) => toPartMigrations(table, { columns: {}, ...added })),
	];
	return parts.map(({ name }) => name);
}

/** Returns the names of the parts that exist after the numbered migrations. */
function partsOfNumbered(): ReadonlySet<string> {
	const existing = new Set<string>();
	for (const migration of migrations) {
		for (const [type, dropped = {}] of [
			["index", migration.droppedIndexes] as const,
			["unique", migration.droppedUniqueIndexes] as const,
		]) {
			for (const [table, combinations] of Object.entries(dropped)) {
				for (const fields of combinations) existing.delete(toIndexName(table, fields, type));
			}
		}
		for (const part of partNamesOf(migration)) existing.add(part);
	}
	return existing;
}

interface KindDeclaration extends IndexDefinition {
	readonly fields: Readonly<Record<string, FieldType>>;
	readonly optional?: boolean;
}

function declaredTables(): readonly (readonly [table: string, definition: TableDefinition, isOptional: boolean])[] {
	return (Object.keys(entityKinds) as EntityKind[]).map((kind) => {
		const { fields, unique, indexes, sparseIndexes, optional: isOptional = false }: KindDeclaration = entityKinds[kind];
		const columns = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type === "json" ? "text" : type]));
		return [toTable(kind), { columns, unique: unique ?? [], indexes: indexes ?? [], sparseIndexes: sparseIndexes ?? {} }, isOptional];
	});
}

/** Returns the migration that creates a table with all its parts. */
function toTableMigration(table: string, definition: TableDefinition): Migration {
	return { name: `table ${table}`, tables: { [table]: definition } };
}

/** Returns a migration for each column and each index. */
function toPartMigrations(
	table: string,
	{ columns, unique = [], indexes = [], sparseIndexes = {} }: TableDefinition,
): readonly Migration[] {
	const toIndex = (fields: readonly string[], type: "unique" | "index", added: IndexDefinition): Migration => ({
		name: toIndexName(table, fields, type),
		indexes: { [table]: added },
	});
	const sparse = Object.entries(sparseIndexes).flatMap(([column, combinations]) => combinations.map((fields) => [column, fields] as const));
	return [
		...Object.entries(columns).map(([name, type]) => ({ name: `column ${table}.${name}`, columns: { [table]: { [name]: type } } })),
		...unique.map((fields) => toIndex(fields, "unique", { unique: [fields] })),
		...indexes.map((fields) => toIndex(fields, "index", { indexes: [fields] })),
		...sparse.map(([column, fields]) => toIndex(fields, "index", { sparseIndexes: { [column]: [fields] } })),
	];
}

/** Returns the migration name of an index, which contains the name of the index in the database. */
function toIndexName(table: string, fields: Combinations[number], type: "unique" | "index"): string {
	return `index ${[table, ...fields, type].join("_")}`;
}
