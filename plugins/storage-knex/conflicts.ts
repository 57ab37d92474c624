import { type EntityKind, SvcError } from "../../core/contract/index.ts";
import {
	type Answer,
	KeyTakenError,
	NothingChangedError,
	type Step,
	StepError,
	type Steps,
	type Values,
	type Writing,
} from "./database-client.ts";
import { uniqueIndexesOf } from "./indexes.ts";
import type { Statements } from "./statements.ts";
import { fieldsOf } from "./values.ts";

/** Do a round; when a key is taken, or nothing was there to be changed, throw the conflict that says by whom. */
export function* roundOrConflict(statements: Statements, steps: readonly Step[]): Steps<readonly Answer[]> {
	try {
		return yield steps;
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		const { cause, step } = error;
		if (!step.writing) throw cause;
		if (cause instanceof NothingChangedError) throw toStale(step.writing, cause);
		if (!(cause instanceof KeyTakenError)) throw cause;
		const owner = yield* findOwner(statements, step.writing);
		const facts = owner === undefined ? {} : { conflict_id: owner };
		throw new SvcError("SVC_CONFLICT", `${step.writing.kind} with this id or key exists already`, { cause, facts });
	}
}

function toStale({ kind, id }: Writing, cause: unknown): SvcError {
	return new SvcError("SVC_CONFLICT", `${kind} "${id}" does not exist or is no longer as expected`, { cause, facts: { conflict_id: id } });
}

/** Id of the entity that has one of the keys of what is being written; undefined when it has gone meanwhile. */
function* findOwner(statements: Statements, { kind, rows, id }: Writing): Steps<string | undefined> {
	const stored = id === undefined ? {} : yield* readValues(statements, kind, id);
	const all = rows().map((values) => ({ ...stored, ...values }));
	const answers = yield all.flatMap((values) => toKeySteps(statements, kind, values));
	const owners = answers.map(({ rows }) => rows[0]?.[0]);
	return owners.find((owner) => typeof owner === "string" && owner !== id) as string | undefined;
}

function toKeySteps(statements: Statements, kind: EntityKind, values: Values): Step[] {
	return uniqueIndexesOf(kind).map((fields) => {
		const where = fields.map((field) => ({ field, form: "equal", bindings: [values[field] ?? null] }) as const);
		const statement = statements.select(kind, { fields: [["id", "text"]], where, orderBy: [], limited: false, skipping: false });
		return { statement, bindings: where.flatMap(({ bindings }) => bindings) };
	});
}

function* readValues(statements: Statements, kind: EntityKind, id: string): Steps<Values> {
	const [answer] = yield [{ statement: statements.get(kind), bindings: [id] }];
	return Object.fromEntries(fieldsOf(kind).map(([name], index) => [name, answer?.rows[0]?.[index] ?? null]));
}
