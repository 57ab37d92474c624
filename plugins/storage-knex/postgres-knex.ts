import type { Knex } from "knex";
import { importPackage } from "./import-package.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** Members of knex's client class that are used here but missing in its types. */
interface KnexClientInternals {
	queryCompiler(builder: unknown): { where(): string };
	columnCompiler(...parts: unknown[]): { text: string };
	tableCompiler(...parts: unknown[]): TableCompiler;
}
type KnexClientConstructor = new (config: Knex.Config) => KnexClientInternals;

interface TableCompiler {
	readonly tableNameRaw: string;
	tableName(): string;
	pushQuery(sql: string): void;
	_indexCommand(type: "unique" | "index", table: string, columns: readonly string[]): string;
	unique(columns: readonly string[]): void;
	index(columns: readonly string[], name?: undefined, options?: { readonly predicate?: unknown }): void;
}

interface QueryObject {
	readonly sql: string;
	readonly bindings?: readonly unknown[];
	response?: { readonly rows: readonly object[]; readonly rowCount: number | null; readonly command: string };
}

/**
 * Creates a knex instance for PostgreSQL. It builds statements and, if a connection is given, runs migrations on it. To the migrations,
 * which are the same for all databases, it adds what PostgreSQL needs: columns that compare strings by code point, and indexes with nulls
 * first, as in every requested order.
 */
export async function createPostgresKnex(connection?: PostgresConnection): Promise<Knex> {
	const createKnexInstance = (await importPackage("knex")) as (config: Knex.Config) => Knex;
	const PostgresClient = (await importPackage("knex/lib/dialects/postgres/index.js")) as KnexClientConstructor;

	class PostgresJsClient extends PostgresClient {
		_driver(): object {
			return {};
		}
		async acquireRawConnection(): Promise<object> {
			return {};
		}
		async destroyRawConnection(): Promise<void> {}
		override columnCompiler(...parts: unknown[]): { text: string } {
			return Object.assign(super.columnCompiler(...parts), { text: 'text collate "C"' });
		}
		override tableCompiler(...parts: unknown[]): TableCompiler {
			return withNullsFirst(super.tableCompiler(...parts), (predicate) => this.queryCompiler(predicate).where());
		}
		async _query(_: object, query: QueryObject): Promise<QueryObject> {
			if (!connection) throw new Error("this knex instance only builds statements");
			const { rows, count, command } = await connection.query(query.sql, query.bindings ?? []);
			query.response = { rows, rowCount: count, command };
			return query;
		}
	}
	Object.assign(PostgresJsClient.prototype, { driverName: "postgres", dialect: "postgresql" });
	return createKnexInstance({
		client: PostgresJsClient as unknown as typeof Knex.Client,
		...(connection ? { connection: {}, pool: { min: 0, max: 1 } } : {}),
	});
}

function withNullsFirst(compiler: TableCompiler, toCondition: (predicate: unknown) => string): TableCompiler {
	const create = (type: "unique" | "index", columns: readonly string[], condition = "") => {
		const name = compiler._indexCommand(type, compiler.tableNameRaw, columns);
		const fields = columns.map((column) => `"${column}" nulls first`).join(", ");
		compiler.pushQuery(`create ${type === "unique" ? "unique " : ""}index ${name} on ${compiler.tableName()} (${fields})${condition}`);
	};
	compiler.unique = (columns) => create("unique", columns);
	compiler.index = (columns, _, { predicate } = {}) => create("index", columns, predicate ? ` ${toCondition(predicate)}` : "");
	return compiler;
}
