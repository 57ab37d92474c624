import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { type Datastore, type DatastoreAccess, emptyDatastore, renderWithLookups } from "../../../language/templates/datastore.ts";
import { WorkBudget } from "../../../language/work-budget.ts";
import type { Criterion } from "./compiled-criterion.ts";
import { compileEntries } from "./criterion.ts";
import { type Sieve, toSieve } from "./sieve.ts";

export { checkPatterns } from "./check-patterns.ts";
export { operatorNames } from "./operators.ts";

/** The criterion that did not hold. */
export interface FailedCriterion {
	/** As written, tag included. */
	readonly key: string;
	readonly operator: string;
	/** As rendered; null when it could not be. */
	readonly pattern: JsonValue;
	/** From the payload; null when it is missing. */
	readonly value: JsonValue;
}

/** `error`: the criterion could not be decided, for which the reference writes a failed enforcement. It names types and no values. */
export type CriteriaVerdict =
	| { readonly matched: true }
	| { readonly matched: false; readonly failed: FailedCriterion; readonly error?: string };

export interface CriteriaOptions {
	/** Microseconds since 1970, for time differences. */
	readonly now: number;
	/** Where `svckv.system` in patterns is read. Default: no items. */
	readonly datastore?: DatastoreAccess;
	/** What looking at the payload may use. Default: a budget of its own. */
	readonly work?: WorkBudget;
}

/** Criteria of a rule, compiled once and evaluated for each trigger instance. */
export interface CompiledCriteria {
	/** Whether patterns may need items of the datastore. */
	readonly usesDatastore: boolean;
	/** Undefined where only the criteria themselves can tell. */
	readonly sieve?: Sieve | undefined;
	/** A promise only where items of the datastore are read: many rules are looked at for each event. */
	evaluate(payload: JsonObject, options: CriteriaOptions): CriteriaVerdict | Promise<CriteriaVerdict>;
}

/**
 * Compile the criteria of a rule: a map from key to `{ type, pattern }`, all of which must hold. `SVC_INVALID` names the key and
 * says what is allowed.
 */
export function compileCriteria(criteria: JsonObject): CompiledCriteria {
	const entries = compileEntries(criteria, { root: "trigger", depth: 0 });
	const usesDatastore = entries.some((entry) => entry.usesDatastore);
	return {
		usesDatastore,
		sieve: toSieve(criteria),
		evaluate(payload, { now, datastore: access, work = new WorkBudget() }) {
			const run = (datastore: Datastore) => work.run(() => evaluateEntries(entries, { payload, now, datastore }));
			return access === undefined || !usesDatastore ? run(emptyDatastore) : renderWithLookups(access, run, work);
		},
	};
}

function evaluateEntries(
	entries: readonly Criterion[],
	{ payload, now, datastore }: { readonly payload: JsonObject; readonly now: number; readonly datastore: Datastore },
): CriteriaVerdict {
	const [first] = entries;
	// An empty payload satisfies no criterion at all, not even that something does not exist.
	if (first !== undefined && Object.keys(payload).length === 0) {
		return { matched: false, failed: { key: first.key, operator: first.operator, pattern: null, value: null } };
	}
	const evaluation = { values: { trigger: payload }, now, datastore };
	for (const entry of entries) {
		const { isTrue, value, pattern, error } = entry.evaluate(evaluation);
		if (isTrue) continue;
		const failed = { key: entry.key, operator: entry.operator, pattern, value };
		return error === undefined ? { matched: false, failed } : { matched: false, failed, error };
	}
	return { matched: true };
}
