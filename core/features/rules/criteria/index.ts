import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import { type Datastore, type DatastoreAccess, emptyDatastore, renderWithLookups } from "../../../language/templates/datastore.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { isTemplate } from "../../../language/templates/template.ts";
import { WorkBudget } from "../../../language/work-budget.ts";
import { type Criterion, compileEntries } from "./criterion.ts";
import { operators } from "./operators.ts";
import { type PreFilter, toPreFilter } from "./pre-filter.ts";

export { operatorNames } from "./operators.ts";

/** Criterion that did not match. */
export interface FailedCriterion {
	/** Key as written in the rule, including the tag. */
	readonly key: string;
	readonly operator: string;
	/** Rendered pattern; null if it could not be rendered. */
	readonly pattern: JsonValue;
	/** Value from the payload; null if it is missing. */
	readonly value: JsonValue;
}

/**
 * Result of the evaluation of criteria. `error` is the reason why a criterion could not be evaluated; a failed enforcement is stored in
 * that case. The message names types, but contains no values.
 */
export type CriteriaVerdict =
	| { readonly matched: true }
	| { readonly matched: false; readonly failed: FailedCriterion; readonly error?: string };

export interface CriteriaOptions {
	/** Microseconds since 1970, for time differences. */
	readonly now: number;
	/** Datastore for `svckv.system` in patterns. Default: no items. */
	readonly datastore?: DatastoreAccess;
	/** Budget for the evaluation. Default: a new one. */
	readonly work?: WorkBudget;
}

/** Criteria of a rule, compiled once and evaluated for each trigger instance. */
export interface CompiledCriteria {
	/** True if patterns may need items of the datastore. */
	readonly usesDatastore: boolean;
	/** Pre-filter of the criteria; undefined if each event needs a full evaluation. */
	readonly sieve?: PreFilter | undefined;
	/**
	 * Evaluates the criteria. Returns a promise only if datastore items must be read: awaiting one for each of many rules would cost more than
	 * the evaluation.
	 */
	evaluate(payload: JsonObject, options: CriteriaOptions): CriteriaVerdict | Promise<CriteriaVerdict>;
}

/**
 * Compiles the criteria of a rule: a map from key to `{ type, pattern }`. All of them must match. If an entry is invalid, throws
 * `SVC_INVALID` with its key and the requirement.
 */
export function compileCriteria(criteria: JsonObject): CompiledCriteria {
	const entries = compileEntries(criteria, { root: "trigger", depth: 0 });
	const usesDatastore = entries.some((entry) => entry.usesDatastore);
	return {
		usesDatastore,
		sieve: toPreFilter(criteria),
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
	// An empty payload does not match any criterion, not even one of the type `nexists`.
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

/**
 * Throws `SVC_INVALID` with the key for a pattern that its operator cannot use, such as an invalid regular expression. Without this check,
 * the criterion would fail for each event, unnoticed by the author. Templates are not checked, because their values are not known yet.
 *
 * @param criteria valid criteria, which `compileCriteria` accepts
 */
export function checkPatterns(criteria: JsonObject): void {
	for (const [key, entry] of Object.entries(criteria)) {
		const { type, pattern = null } = entry as JsonObject;
		const operator = String(type).toLowerCase();
		if (operator === "search" && isJsonObject(pattern)) checkPatterns(pattern);
		else if (pattern !== null && !(typeof pattern === "string" && isTemplate(pattern))) checkPattern(key, operator, pattern);
	}
}

function checkPattern(key: string, operator: string, pattern: JsonValue): void {
	try {
		operators.get(operator)?.checkPattern?.(pattern);
	} catch (error) {
		if (!(error instanceof TemplateError)) throw error;
		const message = `criteria "${key.slice(0, 200)}" has a pattern that ${operator} cannot use: ${error.message}`;
		throw new SvcError("SVC_INVALID", message, { cause: error });
	}
}
