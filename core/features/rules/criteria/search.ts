import type { JsonValue } from "../../../contract/index.ts";
import { TemplateError } from "../../../language/templates/errors.ts";
import { typeName } from "../../../language/templates/values.ts";
import type { Criterion } from "./compiled-criterion.ts";
import type { Evaluation } from "./pattern.ts";

const conditions = {
	any: { items: "some", children: "every" },
	all: { items: "every", children: "every" },
	any2any: { items: "some", children: "some" },
	all2any: { items: "every", children: "some" },
} as const;

/**
 * Whether items of a list satisfy criteria of their own, in the number that `condition` says. A child that cannot be evaluated
 * counts as false; `report` hears of it.
 */
export function searchItems(
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

/** The list, or the one object in its place. */
function toItems(value: JsonValue): readonly JsonValue[] {
	if (Array.isArray(value)) return value;
	if (typeof value === "object" && value !== null) return [value];
	throw new TemplateError(`the value must be a list, not ${value === null ? "missing or null" : typeName(value)}`);
}
