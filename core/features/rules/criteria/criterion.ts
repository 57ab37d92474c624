import { type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import { isRenderProblem, TemplateError } from "../../../language/templates/errors.ts";
import { typeName } from "../../../language/templates/values.ts";
import { compileKey, type Root } from "./key.ts";
import { applyOperator, operatorNames, operators } from "./operators.ts";
import { compilePattern, type Evaluation } from "./pattern.ts";

/** Maximum nesting of `search` in `search`. */
const maxSearchDepth = 10;

/** Result of one entry of a criteria map. */
interface CriterionVerdict {
	readonly isTrue: boolean;
	/** Value from the payload; null if it is missing. */
	readonly value: JsonValue;
	/** Rendered pattern. */
	readonly pattern: JsonValue;
	/** Reason why the entry could not be evaluated; `isTrue` is false in that case. */
	readonly error?: string;
}

/** One entry of a criteria map. */
export interface Criterion {
	readonly key: string;
	readonly operator: string;
	/** True if its pattern may need items of the datastore. */
	readonly usesDatastore: boolean;
	evaluate(evaluation: Evaluation): CriterionVerdict;
}

interface CriterionPlace {
	readonly root: Root;
	/** Number of enclosing `search` criteria. */
	readonly depth: number;
}

/** Compiles the entries of a criteria map in their order. If an entry is invalid, throws `SVC_INVALID` with its key and the requirement. */
export function compileEntries(criteria: JsonObject, place: CriterionPlace): readonly Criterion[] {
	return Object.entries(criteria).map(([key, entry]) => compileEntry(key, entry, place));
}

function compileEntry(key: string, entry: JsonValue, place: CriterionPlace): Criterion {
	const invalid = (message: string) => new SvcError("SVC_INVALID", `criteria "${key.slice(0, 200)}" ${message}`);
	if (!isObject(entry)) throw invalid("must be an object with the members type and pattern");
	const { type, pattern = null, condition } = entry;
	// Operators of rules are in lower case; within a search any case is accepted.
	const operator = typeof type === "string" && place.depth > 0 ? type.toLowerCase() : type;
	if (typeof operator !== "string" || !operatorNames.includes(operator)) {
		throw invalid(`must have a type that is one of ${operatorNames.join(", ")}`);
	}
	if (pattern === null && place.depth === 0) throw invalid("must have a non-null pattern");
	const read = compileKey(key, place.root);
	if (operator !== "search") {
		const found = operators.get(operator);
		if (found === undefined) throw invalid(`has no operator "${operator}"`);
		const { usesDatastore, render } = compilePattern(pattern);
		const evaluate = guarded(key, operator, read, (value, evaluation, state) => {
			state.pattern = found.ignoresPattern === true ? pattern : render(evaluation);
			return applyOperator(found, value, state.pattern, evaluation.now);
		});
		return { key, operator, usesDatastore, evaluate };
	}
	if (!isObject(pattern)) throw invalid("must have an object of criteria as pattern, because its type is search");
	if (place.depth >= maxSearchDepth) throw invalid(`is nested in more than ${maxSearchDepth} searches`);
	const children = compileEntries(pattern, { root: "item", depth: place.depth + 1 });
	const evaluate = guarded(key, operator, read, (value, evaluation, state) => {
		state.pattern = pattern;
		const report = (error: string) => {
			state.error ??= error;
		};
		return searchItems(value, children, { condition, evaluation, report });
	});
	return { key, operator, usesDatastore: children.some((child) => child.usesDatastore), evaluate };
}

type Decide = (value: JsonValue, evaluation: Evaluation, state: { pattern: JsonValue; error?: string }) => boolean;

/** Returns a function that evaluates a criterion. The function returns errors in values and patterns instead of throwing them. */
function guarded(key: string, operator: string, read: (values: JsonObject) => JsonValue, decide: Decide): Criterion["evaluate"] {
	return (evaluation) => {
		const state: { pattern: JsonValue; error?: string } = { pattern: null };
		let value: JsonValue = null;
		try {
			value = read(evaluation.values);
			const isTrue = decide(value, evaluation, state);
			if (isTrue || state.error === undefined) return { isTrue, value, pattern: state.pattern };
			return { isTrue, value, pattern: state.pattern, error: state.error };
		} catch (error) {
			// Rethrow other errors, such as an unavailable datastore or a bug: they do not decide the criterion, and a retry may succeed.
			if (!isRenderProblem(error)) throw error;
			return { isTrue: false, value, pattern: state.pattern, error: `criterion "${key}" (${operator}): ${error.message}` };
		}
	};
}

function isObject(value: JsonValue): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const conditions = {
	any: { items: "some", children: "every" },
	all: { items: "every", children: "every" },
	any2any: { items: "some", children: "some" },
	all2any: { items: "every", children: "some" },
} as const;

/**
 * Returns true if as many items of a list match as many child criteria as `condition` requires. A child that cannot be evaluated counts as
 * false, and its error is passed to `report`.
 */
function searchItems(
	value: JsonValue,
	children: readonly Criterion[],
	{ condition, evaluation, report }: { condition: JsonValue | undefined; evaluation: Evaluation; report: (error: string) => void },
): boolean {
	if (typeof condition !== "string" || !Object.hasOwn(conditions, condition)) {
		throw new TemplateError(`the condition must be one of ${Object.keys(conditions).join(", ")}`);
	}
	const { items, children: quantity } = conditions[condition as keyof typeof conditions];
	const holds = (item: JsonValue) =>
		children[quantity]((child) => {
			const verdict = child.evaluate({ ...evaluation, values: { item } });
			if (verdict.error !== undefined) report(verdict.error);
			return verdict.isTrue;
		});
	return toItems(value)[items](holds);
}

/** Returns the items of a list. An object is treated as a list with one item. */
function toItems(value: JsonValue): readonly JsonValue[] {
	if (Array.isArray(value)) return value;
	if (typeof value === "object" && value !== null) return [value];
	throw new TemplateError(`the value must be a list, not ${value === null ? "missing or null" : typeName(value)}`);
}
