import * as assert from "node:assert/strict";
import { type EntityKind, entityKinds, type FieldType } from "../../core/contract/index.ts";
import { indexesOf, sparseIndexesOf, uniqueIndexesOf } from "./declared-indexes.ts";
import { administer } from "./postgres-database.test-support.ts";
import { toTable } from "./table-names.ts";

interface Column {
	readonly table: string;
	readonly name: string;
	readonly type: string;
	readonly collation: string | null;
}

const columnTypes = { text: "text", json: "text", integer: "bigint", real: "double precision", boolean: "boolean" } as const;

/** Every kind has the table, columns and indexes that its declaration says, and no others; text compares by code point. */
export async function assertPostgresSchema(url: string): Promise<void> {
	const kinds = Object.keys(entityKinds) as EntityKind[];
	const columns = await readColumns(url, "public");
	for (const kind of kinds) {
		const found = columns.filter(({ table }) => table === toTable(kind)).map(({ name, type, collation }) => [name, type, collation]);
		const expected = Object.entries<FieldType>(entityKinds[kind].fields).map(([name, type]) => {
			const columnType = columnTypes[type];
			return [name, columnType, columnType === "text" ? "C" : null];
		});
		assert.deepEqual(found, expected, kind);
	}
	const indexes = (await readIndexes(url, "public")).filter((text) => !text.includes("migrations"));
	assert.deepEqual(indexes, kinds.flatMap(toExpectedIndexes).sort());
}

/** Columns and indexes of all tables. */
export function readSchema(url: string, schema: string): Promise<unknown> {
	return Promise.all([readColumns(url, schema), readIndexes(url, schema)]);
}

function readColumns(url: string, schema: string): Promise<readonly Column[]> {
	return administer<Column>(
		url,
		`select table_name as table, column_name as name, data_type as type, collation_name as collation
		from information_schema.columns where table_schema = '${schema}' order by table_name, ordinal_position`,
	);
}

async function readIndexes(url: string, schema: string): Promise<readonly string[]> {
	const indexes = await administer<{ readonly text: string }>(
		url,
		`select regexp_replace(indexdef, 'INDEX .* USING btree ', tablename || ' ') as text from pg_indexes where schemaname = '${schema}'`,
	);
	return indexes.map(({ text }) => text.replace("CREATE ", "").replaceAll('"', "")).sort();
}

function toExpectedIndexes(kind: EntityKind): string[] {
	const table = toTable(kind);
	const list = (fields: readonly string[]) => fields.map((field) => `${field} NULLS FIRST`).join(", ");
	const [[id = ""] = [], ...unique] = uniqueIndexesOf(kind);
	const sparse = sparseIndexesOf(kind);
	const full = indexesOf(kind).slice(0, -sparse.length || undefined);
	return [
		`UNIQUE ${table} (${id})`,
		...unique.map((fields) => `UNIQUE ${table} (${list(fields)})`),
		...full.map((fields) => `${table} (${list(fields)})`),
		...sparse.map(([column, fields]) => `${table} (${list(fields)}) WHERE (${column} IS NOT NULL)`),
	];
}
