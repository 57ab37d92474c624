import type { Dialect } from "./database-client.ts";
import type { Binding } from "./values.ts";

export const postgresDialect: Dialect = {
	inList: "?? = any(?)",
	aside: (condition) => `(${condition}) is true`,
	contains: "strpos(??, ?) > 0",
	toList: (values) => `{${values.map(toElement).join()}}`,
	// JSON as JSON.stringify writes it has no space in front, so that text tells arrays from the rest.
	append: `case when :column: like '[%'
		then concat(left(:column:, -1), case when :column: = '[]' then '' else ',' end, cast(:value as text), ']')
		else :column: end`,
	order: { asc: "?? asc nulls first", desc: "?? desc nulls last" },
	locksRows: true,
	countsEach: true,
	listTypes: { text: "text", json: "text", integer: "bigint", real: "double precision", boolean: "boolean" },
	toChange: (sql) => `with changed as (${sql} returning 1) select 1 / count(*) from changed`,
	toKept: (sql) => `with kept as (${sql} for share) select 1 / count(*) from kept`,
	now: "select (extract(epoch from clock_timestamp()) * 1000000)::bigint",
};

function toElement(value: Binding): string {
	if (value === null) return "null";
	return typeof value !== "string" ? String(value) : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
