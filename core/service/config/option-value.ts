import type { OptionDefinition } from "../../contract/index.ts";
import { describeKind, describeValue } from "./describe-value.ts";
import { didYouMean } from "./did-you-mean.ts";
import { isSecretOption } from "./secret-options.ts";

/**
 * Returns what is wrong with a value, or undefined if it is valid. Callers put the path of the option and a colon before the message. The
 * message does not contain the value of a secret option.
 *
 * @param name name of the option
 */
export function findValueProblem(definition: OptionDefinition, value: unknown, name = ""): string | undefined {
	const isSecret = isSecretOption(name, definition);
	const describe = isSecret ? describeKind : describeValue;
	if (!hasType(definition, value)) return `expected ${expected(definition)}, got ${describe(value)}`;
	if (definition.type === "integer" || definition.type === "number") {
		const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = definition;
		if (Number(value) < minimum || Number(value) > maximum) return `${describe(value)} is out of range; allowed: ${expected(definition)}`;
	}
	const choices = definition.type === "string" || definition.type === "list" ? definition.choices : undefined;
	const unknown = choices && [value as string | readonly string[]].flat().find((word) => !choices.includes(word));
	if (choices === undefined || unknown === undefined) return undefined;
	const allowed = `allowed: ${choices.join(", ")}`;
	return isSecret ? `unknown value; ${allowed}` : `unknown value ${describeValue(unknown)}; ${didYouMean(unknown, choices)}${allowed}`;
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
