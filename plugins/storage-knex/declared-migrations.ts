import { type EntityKind, entityKinds, type FieldType } from "../../core/contract/index.ts";
import { migrations } from "./migrations/index.ts";
import type { Combinations, IndexDefinition, Migration, TableDefinition } from "./migrations/migration.ts";
import { toTable } from "./table-names.ts";

/**
 * The steps that nobody has to write: they make what is declared of the kinds (`entityKinds`) beyond what the numbered steps have made.
 * The table `migrations` keeps the name of every table, column and index that came so. A kind that is declared with more later gets
 * only what is new, whatever it had at first; and a version that knows less of it sees that from the names.
 *
 * @param done names in the table `migrations`
 */
export function toDeclaredMigrations(done: readonly string[]): readonly Migration[] {
	const known = new Set([...partsOfNumbered(), ...done]);
	return declaredTables().flatMap(([table, definition, isOptional]): readonly Migration[] => {
		const named = (migration: Migration) => (isOptional ? { ...migration, name: optional + migration.name } : migration);
		const whole = named(toWhole(table, definition));
		return known.has(whole.name)
			? split(table, definition)
					.map(named)
					.filter(({ name }) => !known.has(name))
			: [whole];
	});
}

/** What names begin with of kinds that a configuration may leave out: whoever does not know them is no older version. */
export const optional = "optional ";

/** Names of all that the kinds declare. */
export function listDeclared(): readonly string[] {
	return declaredTables().flatMap(([table, definition]) => partsOf(toWhole(table, definition)));
}

/** Names of the tables, columns and indexes that a step makes. */
export function partsOf({ tables = {}, columns = {}, indexes = {} }: Migration): readonly string[] {
	const parts = [
		...Object.entries(tables).flatMap(([table, definition]) => [toWhole(table, definition), ...split(table, definition)]),
		...Object.entries(columns).flatMap(([table, added]) => split(table, { columns: added })),
		...Object.entries(indexes).flatMap(([table, added]) => split(table, { columns: {}, ...added })),
	];
	return parts.map(({ name }) => name);
}

function partsOfNumbered(): ReadonlySet<string> {
	const made = new Set<string>();
	for (const migration of migrations) {
		for (const [type, dropped = {}] of [["index", migration.dropped] as const, ["unique", migration.droppedUnique] as const]) {
			for (const [table, combinations] of Object.entries(dropped)) {
				for (const fields of combinations) made.delete(toIndexName(table, fields, type));
			}
		}
		for (const part of partsOf(migration)) made.add(part);
	}
	return made;
}

interface Declared extends IndexDefinition {
	readonly fields: Readonly<Record<string, FieldType>>;
	readonly optional?: boolean;
}

function declaredTables(): readonly (readonly [table: string, definition: TableDefinition, isOptional: boolean])[] {
	return (Object.keys(entityKinds) as EntityKind[]).map((kind) => {
		const { fields, unique, indexes, sparseIndexes, optional: isOptional = false }: Declared = entityKinds[kind];
		const columns = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type === "json" ? "text" : type]));
		return [toTable(kind), { columns, unique: unique ?? [], indexes: indexes ?? [], sparseIndexes: sparseIndexes ?? {} }, isOptional];
	});
}

function toWhole(table: string, definition: TableDefinition): Migration {
	return { name: `table ${table}`, tables: { [table]: definition } };
}

/** A step for each column and each index. */
function split(table: string, { columns, unique = [], indexes = [], sparseIndexes = {} }: TableDefinition): readonly Migration[] {
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

/** As the databases name it. */
function toIndexName(table: string, fields: Combinations[number], type: "unique" | "index"): string {
	return `index ${[table, ...fields, type].join("_")}`;
}
