import { type EntityKind, SvcError } from "../../core/contract/index.ts";
import { type Answer, KeyTakenError, type Step, type Steps } from "./database-client.ts";
import { uniqueIndexesOf } from "./indexes.ts";
import type { Statements } from "./statements.ts";
import { type Binding, fieldsOf } from "./values.ts";

export type Values = Readonly<Record<string, Binding>>;

interface Writing {
	readonly kind: EntityKind;
	/** The values being written, by field. Asked for only when there is a conflict, as most writes have none. */
	readonly values: () => Values;
	/** Id of the entity being changed; absent for a new one. */
	readonly id?: string;
}

/** Do one step; when a key is taken, throw the conflict that names its owner. */
export function* stepOrConflict(statements: Statements, writing: Writing, step: Step): Steps<Answer> {
	try {
		return yield step;
	} catch (error) {
		if (!(error instanceof KeyTakenError)) throw error;
		const owner = yield* findOwner(statements, writing);
		const facts = owner === undefined ? {} : { conflict_id: owner };
		throw new SvcError("SVC_CONFLICT", `${writing.kind} with this id or key exists already`, { cause: error, facts });
	}
}

function* findOwner(statements: Statements, { kind, values, id }: Writing): Steps<string | undefined> {
	const stored = id === undefined ? {} : yield* readValues(statements, kind, id);
	const all: Values = { ...stored, ...values() };
	for (const fields of uniqueIndexesOf(kind)) {
		const where = fields.map((field) => ({ field, form: "equal", bindings: [all[field] ?? null] }) as const);
		const statement = statements.select(kind, { fields: [["id", "text"]], where, orderBy: [], limited: false, skipping: false });
		const { rows } = yield { statement, bindings: where.flatMap(({ bindings }) => bindings) };
		const owner = rows[0]?.[0];
		if (typeof owner === "string" && owner !== id) return owner;
	}
	return undefined;
}

function* readValues(statements: Statements, kind: EntityKind, id: string): Steps<Values> {
	const { rows } = yield { statement: statements.get(kind), bindings: [id] };
	return Object.fromEntries(fieldsOf(kind).map(([name], index) => [name, rows[0]?.[index] ?? null]));
}
