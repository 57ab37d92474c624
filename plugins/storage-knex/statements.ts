import type { Knex } from "knex";
import type { EntityKind } from "../../core/contract/index.ts";
import { applyComparisons, type Comparison } from "./conditions.ts";
import type { DatabaseClient, Dialect, Statement } from "./database-client.ts";
import { indexesOf, uniqueIndexesOf } from "./indexes.ts";
import type { LargeTexts } from "./large-texts.ts";
import { toTable } from "./table-names.ts";
import { type Field, fieldsOf } from "./values.ts";

export type Ordering = readonly (readonly [field: string, direction: "asc" | "desc"])[];

export interface Assignment {
	readonly field: string;
	readonly append: boolean;
}

export interface Selection {
	readonly fields: readonly Field[];
	readonly where: readonly Comparison[];
	readonly orderBy: Ordering;
	/** A field that is null in all that match, by which an index begins that has them in order otherwise. */
	readonly lead?: string | undefined;
	readonly limited: boolean;
	readonly skipping: boolean;
}

/** One part of what matches, of which the first are read. */
export interface Branch {
	readonly where: readonly Comparison[];
	readonly orderBy: Ordering;
}

/** Rows before a late page that are looked at for the value that it begins with. */
export const nearby = 100;

/** More shapes than a service has; a flood of others must not fill the memory. */
const mostShapes = 2_000;

/**
 * The text of every statement, built once for each shape. Bindings are given in the order in which the parts of a statement
 * stand: assignments, id, conditions, limit, offset.
 */
export class Statements {
	readonly dialect: Dialect;
	/** Where large texts are kept that do not stand in their rows. */
	readonly largeTexts: LargeTexts | undefined;
	readonly #knex: Knex;
	readonly #shapes = new Map<string, Statement>();

	constructor({ knex, dialect, largeTexts }: Pick<DatabaseClient, "knex" | "dialect" | "largeTexts">) {
		this.#knex = knex;
		this.dialect = dialect;
		this.largeTexts = largeTexts;
	}

	insert(kind: EntityKind): Statement {
		// Built by hand: knex would put the columns into an order of its own.
		const names = namesOf(fieldsOf(kind));
		return this.#shape(`insert ${kind}`, "changes", ({ knex, mark }) => {
			const text = `insert into ?? (${names.map(() => "??")}) values (${names.map(() => "?")})`;
			return knex.raw(text, [toTable(kind), ...names, ...names.map(mark)]);
		});
	}

	get(kind: EntityKind): Statement {
		const names = namesOf(fieldsOf(kind));
		return this.#shape(`get ${kind}`, "row", ({ table, mark }) => table(kind).select(names).where("id", mark()));
	}

	select(kind: EntityKind, { fields, where, orderBy, lead, limited, skipping }: Selection): Statement {
		const shape = `select ${kind} ${namesOf(fields)} ${toShape(where)} ${orderBy.join(";")} ${limited} ${skipping}`;
		return this.#shape(shape, "rows", (building) => {
			const query = this.#apply(building, building.table(kind).select(namesOf(fields)), where);
			this.#order(query, orderBy, lead);
			if (limited || skipping) query.limit(building.mark());
			if (skipping) query.offset(building.mark());
			return query;
		});
	}

	/**
	 * What `select` with a limit answers, where each branch is one part of what matches. Bindings: for each branch its
	 * conditions and the limit plus the offset, then limit and offset.
	 */
	selectMerged(kind: EntityKind, { fields, orderBy, skipping }: Selection, branches: readonly Branch[]): Statement {
		const parts = branches.map((branch) => `${toShape(branch.where)} ${branch.orderBy.join(";")}`).join("|");
		const shape = `merged ${kind} ${namesOf(fields)} ${parts} ${orderBy.join(";")} ${skipping}`;
		return this.#shape(shape, "rows", (building) => {
			const { knex, table, mark } = building;
			const parts = branches.map((branch) => {
				const matching = this.#apply(building, table(kind).select("id"), branch.where);
				const first = this.#order(matching, branch.orderBy).limit(mark());
				return knex.select("id").from(first.as("first_rows"));
			});
			const query = this.#order(table(kind).select(namesOf(fields)).whereIn("id", knex.unionAll(parts)), orderBy).limit(mark());
			return skipping ? query.offset(mark()) : query;
		});
	}

	/**
	 * What `select` with limit and offset answers, where the first order is by a field that is never null. The rows before are passed over in an
	 * index, once: to the value that the page begins with and the `nearby` before it, which tell how many of the same value come first; where all
	 * of these have it, those before that value are counted. Bindings: conditions, nearby + 1, offset - nearby; conditions, limit, offset;
	 * conditions.
	 */
	selectLate(kind: EntityKind, { fields, where, orderBy, lead }: Selection): Statement {
		const shape = `late ${kind} ${namesOf(fields)} ${toShape(where)} ${orderBy.join(";")}`;
		return this.#shape(shape, "rows", (building) => {
			const { knex, table, mark } = building;
			const [[field, direction] = ["id", "asc"] as const] = orderBy;
			const [since, before, last, first] = direction === "desc" ? ["<=", ">", "min", "max"] : [">=", "<", "max", "min"];
			const passed = this.#order(this.#apply(building, table(kind).select({ value: field }), where), orderBy.slice(0, 1), lead);
			const near = passed.limit(mark()).offset(mark());
			const place = knex
				.select(knex.raw(`${last}(value) as value`))
				.from("near")
				.havingRaw(`count(*) = ${nearby + 1}`);
			const query = this.#apply(building, table(kind).with("near", near).with("place", place).select(namesOf(fields)), where);
			query.whereRaw(`?? ${since} (select value from place)`, [field]);
			this.#order(query, orderBy, lead).limit(mark());
			const skipped = mark();
			const earlier = this.#apply(building, table(kind).count("*"), where).whereRaw(`?? ${before} (select value from place)`, [field]);
			const offset = `case when (select value from place) is null then 0
				when (select ${first}(value) from near) = (select value from place) then ? - (?)
				else (select count(*) - 1 from near where value = (select value from place)) end`;
			return query.offset(knex.raw(offset, [skipped, earlier]) as never);
		});
	}

	/** Of a limited one the limit is the last binding. */
	count(kind: EntityKind, where: readonly Comparison[], limited: boolean): Statement {
		return this.#shape(`count ${kind} ${toShape(where)} ${limited}`, "row", (building) => {
			const { knex, table, mark } = building;
			if (!limited) return this.#apply(building, table(kind).count("*"), where);
			const first = this.#apply(building, table(kind).select(knex.raw("1")), where).limit(mark());
			return knex.count("*").from(first.as("first_rows"));
		});
	}

	/** How many have no value in a field: all but those in an index that has no place for them, whose other entries would all be read. */
	countMissing(kind: EntityKind, field: string): Statement {
		return this.#shape(`count missing ${kind} ${field}`, "row", ({ knex, table }) =>
			knex.select(knex.raw("(?) - (?)", [table(kind).count("*"), table(kind).count("*").whereNotNull(field)])),
		);
	}

	distinct(kind: EntityKind, field: string, where: readonly Comparison[]): Statement {
		return this.#shape(`distinct ${kind} ${field} ${toShape(where)}`, "rows", (building) => {
			if (where.length === 0 && leadsIndex(kind, field)) return toDistinctByIndex(building.knex, kind, field);
			return this.#apply(building, building.table(kind).distinct(field).whereNotNull(field).orderBy(field), where);
		});
	}

	/** Insert any number of entities; needs `listTypes`. Bindings: for each field the list of its values. */
	insertAll(kind: EntityKind): Statement {
		const { listTypes } = this.dialect;
		if (!listTypes) throw new Error("this database inserts one row a statement");
		const fields = fieldsOf(kind);
		const names = namesOf(fields);
		return this.#shape(`insert all ${kind}`, "changes", ({ knex, mark }) => {
			const lists = fields.map(([, type]) => `cast(? as ${listTypes[type]}[])`);
			const text = `insert into ?? (${names.map(() => "??")}) select * from unnest(${lists})`;
			return knex.raw(text, [toTable(kind), ...names, ...names.map(mark)]);
		});
	}

	/** Patch one entity by id. */
	update(kind: EntityKind, assignments: readonly Assignment[], where: readonly Comparison[], answer: "row" | "change"): Statement {
		const shape = `update ${kind} ${toAssignmentShape(assignments)} ${toShape(where)} ${answer}`;
		const { toKept } = this.dialect;
		if (assignments.length === 0 && answer === "change" && toKept) return this.#keep(kind, where, toKept);
		return this.#shape(shape, answer, (building) => {
			const query = building.table(kind).update(this.#toValues(building, assignments)).where("id", building.mark());
			this.#apply(building, query, where, true);
			return answer === "row" ? query.returning(namesOf(fieldsOf(kind))) : query;
		});
	}

	/** Nothing is written, which would make the row anew: it is locked as it is. */
	#keep(kind: EntityKind, where: readonly Comparison[], toKept: (sql: string) => string): Statement {
		const build = (building: Building) => {
			const query = building.table(kind).select("id").where("id", building.mark());
			return this.#apply(building, query, where, true);
		};
		return this.#shape(`keep ${kind} ${toShape(where)}`, "change", build, toKept);
	}

	/** Patch the entities of a list of ids. */
	updateAll(kind: EntityKind, assignments: readonly Assignment[]): Statement {
		return this.#shape(`update all ${kind} ${toAssignmentShape(assignments)}`, "rows", (building) => {
			const query = building.table(kind).update(this.#toValues(building, assignments));
			return query.whereRaw(this.dialect.inList, ["id", building.mark()]).returning(namesOf(fieldsOf(kind)));
		});
	}

	/**
	 * Patch the first that match and that nobody else has locked; needs `locksRows`. Answers their place in the order and their
	 * fields. Bindings: conditions, limit, assignments. Of equal ones any may be first: where an index has them in order, the first are all that is
	 * read of it, which a server that believes them to be few would not do for the sake of their ids.
	 */
	claim(kind: EntityKind, { where, orderBy }: Pick<Selection, "where" | "orderBy">, assignments: readonly Assignment[]): Statement {
		const shape = `claim ${kind} ${toShape(where)} ${orderBy.join(";")} ${toAssignmentShape(assignments)}`;
		return this.#shape(shape, "rows", (building) => {
			const { knex, table, mark } = building;
			const order = orderBy.filter(([field], place) => field !== "id" || place === 0);
			const first = this.#order(this.#apply(building, table(kind).select("id"), where), order)
				.limit(mark())
				.forUpdate()
				.skipLocked();
			const found = knex.select("id", knex.raw("row_number() over () as place")).from(first.as("first_rows"));
			const changed = table(kind).update(this.#toValues(building, assignments)).updateFrom("found");
			const names = namesOf(fieldsOf(kind)).map((name) => `${toTable(kind)}.${name}`);
			return changed
				.with("found", found)
				.where(`${toTable(kind)}.id`, knex.ref("found.id"))
				.returning(["found.place", ...names]);
		});
	}

	remove(kind: EntityKind, where: readonly Comparison[], limited: boolean): Statement {
		return this.#shape(`remove ${kind} ${toShape(where)} ${limited}`, "changes", (building) => {
			const { table, mark } = building;
			if (!limited) return this.#apply(building, table(kind).delete(), where);
			const first = this.#apply(building, table(kind).select("id"), where).orderBy("id").limit(mark());
			return table(kind).delete().whereIn("id", first);
		});
	}

	#apply({ mark }: Building, query: Knex.QueryBuilder, where: readonly Comparison[], hasId = false): Knex.QueryBuilder {
		applyComparisons(query, where, { mark, dialect: this.dialect, hasId });
		return query;
	}

	#order(query: Knex.QueryBuilder, orderBy: Ordering, lead?: string): Knex.QueryBuilder {
		// It orders nothing, but PostgreSQL does not see that the rest of the index is in order where the first field is null.
		if (lead !== undefined) query.orderByRaw(this.dialect.order[orderBy[0]?.[1] ?? "asc"], [lead]);
		for (const [field, direction] of orderBy) {
			// The id is never null, and its index has no place for that.
			if (field === "id") query.orderBy(field, direction);
			else query.orderByRaw(this.dialect.order[direction], [field]);
		}
		return query;
	}

	#toValues({ knex, mark }: Building, assignments: readonly Assignment[]): Record<string, Knex.Raw | number> {
		const { append } = this.dialect;
		// Without an assignment an update would be no statement: the id as it is stands in.
		if (assignments.length === 0) return { id: knex.ref("id") };
		return Object.fromEntries(
			assignments.map((each) => [each.field, each.append ? knex.raw(append, { column: each.field, value: mark() }) : mark()]),
		);
	}

	#shape(
		shape: string,
		answer: Statement["answer"],
		build: (building: Building) => Buildable,
		toChange: (sql: string) => string = this.dialect.toChange,
	): Statement {
		const known = this.#shapes.get(shape);
		if (known) return known;
		const knex = this.#knex;
		let marks = 0;
		const query = build({ knex, table: (kind) => knex(toTable(kind)), mark: () => ++marks });
		const { sql: text, bindings } = query.toSQL().toNative();
		if (bindings.length !== marks || bindings.some((mark, index) => mark !== index + 1))
			throw new Error(`bindings out of order in: ${text}`);
		const sql = answer === "change" ? toChange(text) : text;
		const statement: Statement = { sql, answer };
		if (this.#shapes.size >= mostShapes) this.#shapes.clear();
		this.#shapes.set(shape, statement);
		return statement;
	}
}

interface Building {
	readonly knex: Knex;
	table(kind: EntityKind): Knex.QueryBuilder;
	/** Stands for the next binding. */
	mark(): number;
}

interface Buildable {
	toSQL(): { toNative(): { readonly sql: string; readonly bindings: readonly unknown[] } };
}

function namesOf(fields: readonly Field[]): string[] {
	return fields.map(([name]) => name);
}

function toShape(where: readonly Comparison[]): string {
	return where.map(({ field, form }) => `${field} ${form}`).join();
}

function toAssignmentShape(assignments: readonly Assignment[]): string {
	return assignments.map(({ field, append }) => (append ? `${field}+` : field)).join();
}

/** Goes from each value to the next one in the index, instead of over every row. */
const distinctByIndex = `with recursive distinct_values(value) as (
	select min(??) from ?? where ?? is not null
	union all
	select (select min(??) from ?? where ?? > distinct_values.value) from distinct_values where distinct_values.value is not null
) select value from distinct_values where value is not null`;

function toDistinctByIndex(knex: Knex, kind: EntityKind, field: string): Knex.Raw {
	const table = toTable(kind);
	return knex.raw(distinctByIndex, [field, table, field, field, table, field]);
}

/** Whether an index begins with the field. */
function leadsIndex(kind: EntityKind, field: string): boolean {
	return [...uniqueIndexesOf(kind), ...indexesOf(kind)].some(([leading]) => leading === field);
}
