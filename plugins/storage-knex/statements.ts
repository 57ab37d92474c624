import type { Knex } from "knex";
import type { EntityKind } from "../../core/contract/index.ts";
import { applyComparisons, type Comparison } from "./conditions.ts";
import type { DatabaseClient, Dialect, Statement } from "./database-client.ts";
import { indexesOf, uniqueIndexesOf } from "./declared-indexes.ts";
import type { LargeTexts } from "./large-texts.ts";
import { toTable } from "./table-names.ts";
import { type Field, fieldsOf } from "./values.ts";

/** Fields to sort by, the most significant first. */
export type Ordering = readonly (readonly [field: string, direction: "asc" | "desc"])[];

/** A field that a patch changes. */
export interface Assignment {
	readonly field: string;
	/** True if the value is appended to the JSON array in the field, false if it replaces the value. */
	readonly isAppended: boolean;
}

/** Shape of a select. */
export interface Selection {
	readonly fields: readonly Field[];
	readonly where: readonly Comparison[];
	readonly orderBy: Ordering;
	/** Field that is null in all matching rows. An index begins with it and continues in the requested order. */
	readonly leadingNullField?: string | undefined;
	readonly hasLimit: boolean;
	readonly hasOffset: boolean;
}

/** A part of the matching rows, of which only the first are read. */
export interface Branch {
	readonly where: readonly Comparison[];
	readonly orderBy: Ordering;
}

/** Number of rows before a late page that are read to find the sort value with which the page begins. */
export const latePageLookback = 100;

/**
 * Maximum number of cached statements. A service normally uses fewer; without a limit, unusual queries of clients could fill the memory.
 */
const maxShapes = 2_000;

/**
 * Builds the SQL of all statements, and caches it by the shape of the statement. The order of the bindings is: assignments, id, conditions,
 * limit, offset.
 */
export class Statements {
	readonly dialect: Dialect;
	/** Storage of large texts outside of their rows; undefined if all values are stored in their rows. */
	readonly largeTexts: LargeTexts | undefined;
	readonly #knex: Knex;
	readonly #shapes = new Map<string, Statement>();

	constructor({ knex, dialect, largeTexts }: Pick<DatabaseClient, "knex" | "dialect" | "largeTexts">) {
		this.#knex = knex;
		this.dialect = dialect;
		this.largeTexts = largeTexts;
	}

	insert(kind: EntityKind): Statement {
		// Built without knex, which would change the order of the columns.
		const names = namesOf(fieldsOf(kind));
		return this.#getOrBuild(`insert ${kind}`, "changes", ({ knex, mark }) => {
			const text = `insert into ?? (${names.map(() => "??")}) values (${names.map(() => "?")})`;
			return knex.raw(text, [toTable(kind), ...names, ...names.map(mark)]);
		});
	}

	get(kind: EntityKind): Statement {
		const names = namesOf(fieldsOf(kind));
		return this.#getOrBuild(`get ${kind}`, "row", ({ table, mark }) => table(kind).select(names).where("id", mark()));
	}

	select(kind: EntityKind, { fields, where, orderBy, leadingNullField, hasLimit, hasOffset }: Selection): Statement {
		const shape = `select ${kind} ${namesOf(fields)} ${toShape(where)} ${orderBy.join(";")} ${hasLimit} ${hasOffset}`;
		return this.#getOrBuild(shape, "rows", (context) => {
			const query = this.#apply(context, context.table(kind).select(namesOf(fields)), where);
			this.#order(query, orderBy, leadingNullField);
			if (hasLimit || hasOffset) query.limit(context.mark());
			if (hasOffset) query.offset(context.mark());
			return query;
		});
	}

	/**
	 * Builds a select with a limit whose matching rows are divided into branches. Bindings: for each branch its conditions and the limit
	 * plus the offset, then limit and offset.
	 */
	selectMerged(kind: EntityKind, { fields, orderBy, hasOffset }: Selection, branches: readonly Branch[]): Statement {
		const branchShapes = branches.map((branch) => `${toShape(branch.where)} ${branch.orderBy.join(";")}`).join("|");
		const shape = `merged ${kind} ${namesOf(fields)} ${branchShapes} ${orderBy.join(";")} ${hasOffset}`;
		return this.#getOrBuild(shape, "rows", (context) => {
			const { knex, table, mark } = context;
			const branchQueries = branches.map((branch) => {
				const matching = this.#apply(context, table(kind).select("id"), branch.where);
				const first = this.#order(matching, branch.orderBy).limit(mark());
				return knex.select("id").from(first.as("first_rows"));
			});
			const query = this.#order(table(kind).select(namesOf(fields)).whereIn("id", knex.unionAll(branchQueries)), orderBy).limit(mark());
			return hasOffset ? query.offset(mark()) : query;
		});
	}

	/**
	 * Builds a select with limit and offset for a late page. The first sort field must never be null.
	 *
	 * 1. An index-only scan skips `offset - 100` rows and reads the sort values of 101 rows. The last of them is V, the value with which the
	 *    page begins.
	 * 2. The select reads from the first row with V, and skips the rows with V that come before the page.
	 * 3. Their number is counted among the 101 rows. If all of these have V, it is the offset minus the number of rows sorted before V.
	 *
	 * Bindings: conditions, 101, offset - 100; conditions, limit, offset; conditions.
	 */
	selectLatePage(kind: EntityKind, { fields, where, orderBy, leadingNullField }: Selection): Statement {
		const shape = `late ${kind} ${namesOf(fields)} ${toShape(where)} ${orderBy.join(";")}`;
		return this.#getOrBuild(shape, "rows", (context) => {
			const { knex, table, mark } = context;
			const [[field, direction] = ["id", "asc"] as const] = orderBy;
			const [fromOperator, beforeOperator, last, first] = direction === "desc" ? ["<=", ">", "min", "max"] : [">=", "<", "max", "min"];
			const sortValues = this.#order(
				this.#apply(context, table(kind).select({ value: field }), where),
				orderBy.slice(0, 1),
				leadingNullField,
			);
			const near = sortValues.limit(mark()).offset(mark());
			const firstValue = knex
				.select(knex.raw(`${last}(value) as value`))
				.from("near")
				.havingRaw(`count(*) = ${latePageLookback + 1}`);
			const query = this.#apply(context, table(kind).with("near", near).with("place", firstValue).select(namesOf(fields)), where);
			query.whereRaw(`?? ${fromOperator} (select value from place)`, [field]);
			this.#order(query, orderBy, leadingNullField).limit(mark());
			const offsetMark = mark();
			const rowsBeforeValue = this.#apply(context, table(kind).count("*"), where);
			rowsBeforeValue.whereRaw(`?? ${beforeOperator} (select value from place)`, [field]);
			const offset = `case when (select value from place) is null then 0
				when (select ${first}(value) from near) = (select value from place) then ? - (?)
				else (select count(*) - 1 from near where value = (select value from place)) end`;
			return query.offset(knex.raw(offset, [offsetMark, rowsBeforeValue]) as never);
		});
	}

	/** Builds a count of matching entities. The limit, if any, is the last binding. */
	count(kind: EntityKind, where: readonly Comparison[], limited: boolean): Statement {
		return this.#getOrBuild(`count ${kind} ${toShape(where)} ${limited}`, "row", (context) => {
			const { knex, table, mark } = context;
			if (!limited) return this.#apply(context, table(kind).count("*"), where);
			const first = this.#apply(context, table(kind).select(knex.raw("1")), where).limit(mark());
			return knex.count("*").from(first.as("first_rows"));
		});
	}

	/**
	 * Builds a count of entities whose field is null: all entities minus those in the sparse index of the field. Counting them directly would
	 * read every entity, because the index does not contain them.
	 */
	countNulls(kind: EntityKind, field: string): Statement {
		return this.#getOrBuild(`count missing ${kind} ${field}`, "row", ({ knex, table }) =>
			knex.select(knex.raw("(?) - (?)", [table(kind).count("*"), table(kind).count("*").whereNotNull(field)])),
		);
	}

	distinct(kind: EntityKind, field: string, where: readonly Comparison[]): Statement {
		return this.#getOrBuild(`distinct ${kind} ${field} ${toShape(where)}`, "rows", (context) => {
			if (where.length === 0 && isFirstInIndex(kind, field)) return toDistinctByIndex(context.knex, kind, field);
			return this.#apply(context, context.table(kind).distinct(field).whereNotNull(field).orderBy(field), where);
		});
	}

	/** Builds an insert of any number of entities. Requires `dialect.listTypes`. Bindings: for each field, the list of its values. */
	insertAll(kind: EntityKind): Statement {
		const { listTypes } = this.dialect;
		if (!listTypes) throw new Error("this database inserts one row per statement");
		const fields = fieldsOf(kind);
		const names = namesOf(fields);
		return this.#getOrBuild(`insert all ${kind}`, "changes", ({ knex, mark }) => {
			const lists = fields.map(([, type]) => `cast(? as ${listTypes[type]}[])`);
			const text = `insert into ?? (${names.map(() => "??")}) select * from unnest(${lists})`;
			return knex.raw(text, [toTable(kind), ...names, ...names.map(mark)]);
		});
	}

	/** Builds a patch of one entity, by id. */
	update(kind: EntityKind, assignments: readonly Assignment[], where: readonly Comparison[], answer: "row" | "change"): Statement {
		const shape = `update ${kind} ${toAssignmentShape(assignments)} ${toShape(where)} ${answer}`;
		const { lockOrFail } = this.dialect;
		if (assignments.length === 0 && answer === "change" && lockOrFail) return this.#checkAndLock(kind, where, lockOrFail);
		return this.#getOrBuild(shape, answer, (context) => {
			const query = context.table(kind).update(this.#toValues(context, assignments)).where("id", context.mark());
			this.#apply(context, query, where, true);
			return answer === "row" ? query.returning(namesOf(fieldsOf(kind))) : query;
		});
	}

	/** Builds a check of one entity that locks its row instead of writing it. A write would create a new version of the row. */
	#checkAndLock(kind: EntityKind, where: readonly Comparison[], toKept: (sql: string) => string): Statement {
		const build = (context: BuildContext) => {
			const query = context.table(kind).select("id").where("id", context.mark());
			return this.#apply(context, query, where, true);
		};
		return this.#getOrBuild(`keep ${kind} ${toShape(where)}`, "change", build, toKept);
	}

	/** Builds a patch of the entities in a list of ids. */
	updateAll(kind: EntityKind, assignments: readonly Assignment[]): Statement {
		return this.#getOrBuild(`update all ${kind} ${toAssignmentShape(assignments)}`, "rows", (context) => {
			const query = context.table(kind).update(this.#toValues(context, assignments));
			return query.whereRaw(this.dialect.inList, ["id", context.mark()]).returning(namesOf(fieldsOf(kind)));
		});
	}

	/**
	 * Builds a patch of the first matching entities that no other transaction has locked. Requires `dialect.locksRows`. Returns their position
	 * in the order, and their fields. Bindings: conditions, limit, assignments.
	 *
	 * The order does not end with the id, so entities with equal values may be claimed in any order. The first rows then come from an index in
	 * this order. With the id in the order, a planner that expects few rows would read and sort all matching rows.
	 */
	claim(kind: EntityKind, { where, orderBy }: Pick<Selection, "where" | "orderBy">, assignments: readonly Assignment[]): Statement {
		const shape = `claim ${kind} ${toShape(where)} ${orderBy.join(";")} ${toAssignmentShape(assignments)}`;
		return this.#getOrBuild(shape, "rows", (context) => {
			const { knex, table, mark } = context;
			const order = orderBy.filter(([field], index) => field !== "id" || index === 0);
			const first = this.#order(this.#apply(context, table(kind).select("id"), where), order)
				.limit(mark())
				.forUpdate()
				.skipLocked();
			const claimed = knex.select("id", knex.raw("row_number() over () as place")).from(first.as("first_rows"));
			const patch = table(kind).update(this.#toValues(context, assignments)).updateFrom("found");
			const names = namesOf(fieldsOf(kind)).map((name) => `${toTable(kind)}.${name}`);
			return patch
				.with("found", claimed)
				.where(`${toTable(kind)}.id`, knex.ref("found.id"))
				.returning(["found.place", ...names]);
		});
	}

	remove(kind: EntityKind, where: readonly Comparison[], limited: boolean): Statement {
		return this.#getOrBuild(`remove ${kind} ${toShape(where)} ${limited}`, "changes", (context) => {
			const { table, mark } = context;
			if (!limited) return this.#apply(context, table(kind).delete(), where);
			const first = this.#apply(context, table(kind).select("id"), where).orderBy("id").limit(mark());
			return table(kind).delete().whereIn("id", first);
		});
	}

	#apply({ mark }: BuildContext, query: Knex.QueryBuilder, where: readonly Comparison[], hasId = false): Knex.QueryBuilder {
		applyComparisons(query, where, { mark, dialect: this.dialect, hasId });
		return query;
	}

	#order(query: Knex.QueryBuilder, orderBy: Ordering, lead?: string): Knex.QueryBuilder {
		// This field is null in all rows, so it does not change the order. Without it, PostgreSQL does not detect that the index is sorted by its
		// other fields.
		if (lead !== undefined) query.orderByRaw(this.dialect.order[orderBy[0]?.[1] ?? "asc"], [lead]);
		for (const [field, direction] of orderBy) {
			// The id is never null. Its index has the default order of nulls, so PostgreSQL could not use it for an explicit NULLS FIRST or LAST.
			if (field === "id") query.orderBy(field, direction);
			else query.orderByRaw(this.dialect.order[direction], [field]);
		}
		return query;
	}

	#toValues({ knex, mark }: BuildContext, assignments: readonly Assignment[]): Record<string, Knex.Raw | number> {
		const { append } = this.dialect;
		// An update without an assignment is not valid SQL, so the id is set to itself.
		if (assignments.length === 0) return { id: knex.ref("id") };
		return Object.fromEntries(
			assignments.map((each) => [each.field, each.isAppended ? knex.raw(append, { column: each.field, value: mark() }) : mark()]),
		);
	}

	#getOrBuild(
		shape: string,
		answer: Statement["resultKind"],
		build: (context: BuildContext) => BuildableQuery,
		toChange: (sql: string) => string = this.dialect.failIfUnchanged,
	): Statement {
		const cached = this.#shapes.get(shape);
		if (cached) return cached;
		const knex = this.#knex;
		let marks = 0;
		const query = build({ knex, table: (kind) => knex(toTable(kind)), mark: () => ++marks });
		const { sql: text, bindings } = query.toSQL().toNative();
		if (bindings.length !== marks || bindings.some((mark, index) => mark !== index + 1))
			throw new Error(`bindings out of order in: ${text}`);
		const sql = answer === "change" ? toChange(text) : text;
		const statement: Statement = { sql, resultKind: answer };
		if (this.#shapes.size >= maxShapes) this.#shapes.clear();
		this.#shapes.set(shape, statement);
		return statement;
	}
}

/** Context in which a statement is built. */
interface BuildContext {
	readonly knex: Knex;
	table(kind: EntityKind): Knex.QueryBuilder;
	/** Adds a binding. Returns its number, which represents the value during the build. Must be called in the order of the SQL. */
	mark(): number;
}

/** Query or raw statement of knex that is converted to SQL. */
interface BuildableQuery {
	toSQL(): { toNative(): { readonly sql: string; readonly bindings: readonly unknown[] } };
}

function namesOf(fields: readonly Field[]): string[] {
	return fields.map(([name]) => name);
}

function toShape(where: readonly Comparison[]): string {
	return where.map(({ field, form }) => `${field} ${form}`).join();
}

function toAssignmentShape(assignments: readonly Assignment[]): string {
	return assignments.map(({ field, isAppended }) => (isAppended ? `${field}+` : field)).join();
}

/** Distinct values of a field. Skips from each value to the next one in the index instead of reading every row. */
const distinctByIndexSql = `with recursive distinct_values(value) as (
	select min(??) from ?? where ?? is not null
	union all
	select (select min(??) from ?? where ?? > distinct_values.value) from distinct_values where distinct_values.value is not null
) select value from distinct_values where value is not null`;

function toDistinctByIndex(knex: Knex, kind: EntityKind, field: string): Knex.Raw {
	const table = toTable(kind);
	return knex.raw(distinctByIndexSql, [field, table, field, field, table, field]);
}

/** Returns true if an index begins with the field. */
function isFirstInIndex(kind: EntityKind, field: string): boolean {
	return [...uniqueIndexesOf(kind), ...indexesOf(kind)].some(([leading]) => leading === field);
}
