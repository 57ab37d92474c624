import type { Knex } from "knex";
import type { EntityKind } from "../../core/contract/index.ts";
import { indexesOf, uniqueIndexesOf } from "./indexes.ts";
import { toTable } from "./table-names.ts";

/** Goes from each value to the next one in the index, instead of over every row. */
const distinctByIndex = `with recursive distinct_values(value) as (
	select min(??) from ?? where ?? is not null
	union all
	select (select min(??) from ?? where ?? > distinct_values.value) from distinct_values where distinct_values.value is not null
) select value from distinct_values where value is not null`;

export function toDistinctByIndex(knex: Knex, kind: EntityKind, field: string): Knex.Raw {
	const table = toTable(kind);
	return knex.raw(distinctByIndex, [field, table, field, field, table, field]);
}

/** Whether an index begins with the field. */
export function leadsIndex(kind: EntityKind, field: string): boolean {
	return [...uniqueIndexesOf(kind), ...indexesOf(kind)].some(([leading]) => leading === field);
}
