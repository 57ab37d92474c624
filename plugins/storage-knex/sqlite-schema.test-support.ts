import * as assert from "node:assert/strict";
import { type EntityKind, entityKinds, type FieldType } from "../../core/contract/index.ts";
import { indexesOf, sparseIndexesOf, uniqueIndexesOf } from "./declared-indexes.ts";
import { importLibsql, type LibsqlDatabase } from "./libsql.ts";
import { toTable } from "./table-names.ts";

const columnTypes = { text: "TEXT", json: "TEXT", integer: "bigint", real: "float", boolean: "boolean" } as const;

/** Looks at a file by another connection than the service's. */
export async function withFile<T>(file: string, look: (database: LibsqlDatabase) => T): Promise<T> {
	const database = new (await importLibsql())(file, { timeout: 1_000 });
	try {
		return look(database);
	} finally {
		database.close();
	}
}

export function readRows(database: LibsqlDatabase, sql: string): unknown[][] {
	return database.prepare(sql).raw().all([]);
}

/** Every kind has the table, columns and indexes that its declaration says, and no others. */
export function assertSchema(database: LibsqlDatabase): void {
	for (const kind of Object.keys(entityKinds) as EntityKind[]) {
		const table = toTable(kind);
		const columns = readRows(database, `select name, type, pk from pragma_table_info('${table}') order by cid`);
		const fields = Object.entries<FieldType>(entityKinds[kind].fields);
		assert.deepEqual(
			columns,
			fields.map(([name, type]) => [name, columnTypes[type], name === "id" ? 1 : 0]),
			table,
		);
		const keys = uniqueIndexesOf(kind).map((columns) => `unique ${String(columns)}`);
		const sparse = sparseIndexesOf(kind).map(([column, fields]) => `${String(fields)} with ${column}`);
		const full = indexesOf(kind).slice(0, -sparse.length || undefined);
		assert.deepEqual(readIndexes(database, table).sort(), [...keys, ...full.map(String), ...sparse].sort(), table);
	}
}

/** Columns of every index of a table, whether it is unique and which column it wants to be not null, in no particular order. */
function readIndexes(database: LibsqlDatabase, table: string): string[] {
	const indexes = readRows(database, `select name, "unique" from pragma_index_list('${table}')`);
	return indexes.map(([name, unique]) => {
		const columns = readRows(database, `select name from pragma_index_info('${String(name)}') order by seqno`);
		const [sql] = readRows(database, `select sql from sqlite_master where name = '${String(name)}'`).flat();
		const [, sparse] = / where `(\w+)` is not null$/.exec(String(sql)) ?? [];
		return `${unique === 1 ? "unique " : ""}${columns.join()}${sparse === undefined ? "" : ` with ${sparse}`}`;
	});
}
