import type { OptionDefinition } from "../../contract/index.ts";
import { describeValue } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";

/** Returns what is wrong with a value, or undefined if it is valid. Callers put the path of the option and a colon before the message. */
export function findValueProblem(definition: OptionDefinition, value: unknown): string | undefined {
	if (!hasType(definition, value)) return `expected ${expected(definition)}, got ${describeValue(value)}`;
	if (definition.type === "integer" || definition.type === "number") {
		const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = definition;
		if (Number(value) < minimum || Number(value) > maximum) return `${String(value)} is out of range; allowed: ${expected(definition)}`;
	}
	if (definition.type === "string" && definition.choices !== undefined && !definition.choices.includes(String(value))) {
		return `unknown value ${describeValue(value)}; ${didYouMean(String(value), definition.choices)}allowed: ${definition.choices.join(", ")}`;
	}
	return definition.type === "list" && definition.choices !== undefined ? findWordProblem(definition.choices, value) : undefined;
}

function findWordProblem(choices: readonly string[], value: unknown): string | undefined {
	const unknown = (value as readonly string[]).find((word) => !choices.includes(word));
	if (unknown === undefined) return undefined;
	return `unknown value ${describeValue(unknown)}; ${didYouMean(unknown, choices)}allowed: ${choices.join(", ")}`;
}

function hasType(definition: OptionDefinition, value: unknown): boolean {
	switch (definition.type) {
		case "boolean":
			return typeof value === "boolean";
		case "integer":
			return Number.isSafeInteger(value);
		case "number":
			return Number.isFinite(value);
		case "string":
			return typeof value === "string";
		case "list":
			return Array.isArray(value) && value.every((item) => typeof item === "string");
	}
}

function expected(definition: OptionDefinition): string {
	switch (definition.type) {
		case "boolean":
			return "true or false";
		case "integer":
			return `an integer${range(definition)}`;
		case "number":
			return `a number${range(definition)}`;
		case "string":
			return definition.choices === undefined ? "a string" : `one of ${definition.choices.join(", ")}`;
		case "list":
			return "an array of strings";
	}
}

function range({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
	if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
	if (minimum !== undefined) return `, at least ${minimum}`;
	return maximum === undefined ? "" : `, at most ${maximum}`;
}
