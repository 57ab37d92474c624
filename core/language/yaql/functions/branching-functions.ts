import { Context } from "../context.ts";
import { YaqlError } from "../errors.ts";
import { isTrue, withStepCost, type YaqlValue } from "../values.ts";
import { defineFunction, defineMethod, defineStreamFunction } from "./define-function.ts";
import { any, integer, lambda, list, optional, pairs, rest, text } from "./parameters.ts";

/** Functions for branching, variables, assertions and Boolean values. */
export const branchingFunctions = [
	defineFunction("switch", [pairs], (_call, cases) => {
		for (const { key, value } of cases) if (isTrue(key.value())) return value.value();
		return null;
	}),
	defineFunction("selectCase", [rest(lambda("args"))], (_call, conditions) => {
		const index = conditions.findIndex((condition) => isTrue(condition()));
		return index < 0 ? conditions.length : index;
	}),
	defineFunction("selectAllCases", [rest(lambda("args"))], (_call, conditions) =>
		conditions.flatMap((condition, index) => (isTrue(condition()) ? [index] : [])),
	),
	defineStreamFunction("examine", [rest(lambda("args"))], function* (_call, conditions) {
		for (const condition of conditions) yield isTrue(condition());
	}),
	defineMethod("switchCase", [integer("case"), rest(lambda("args"))], (_call, index, cases) => {
		const selectedCase = index >= 0 && index < cases.length ? cases[index] : cases.at(-1);
		return selectedCase === undefined ? null : selectedCase();
	}),
	defineFunction("coalesce", [rest(lambda("args"))], (_call, candidates) => {
		for (const candidate of candidates) {
			const value = candidate();
			if (value !== null) return value;
		}
		return null;
	}),
	defineFunction("let", [rest(any("args")), pairs], ({ context }, values, named) => {
		const variables = new Map<string, YaqlValue>(values.map((value, index) => [`$${index + 1}`, value]));
		for (const { name, value } of named) {
			if (name === undefined) throw new YaqlError("MappingTranslationException", "Cannot convert mapping to keyword argument");
			variables.set(`$${name}`, value.value());
		}
		return new Context(context, variables);
	}),
	defineFunction("with", [rest(any("args"))], ({ context }, values) => context.withArguments(values)),
	defineMethod("unpack", [list("sequence"), rest(text("args"))], ({ context, budget }, sequence, names) => {
		const elements: YaqlValue[] = [];
		for (const element of withStepCost(sequence, budget)) {
			if (names.length > 0 && elements.length >= names.length) throw unpackError(names.length);
			elements.push(element);
		}
		if (names.length === 0) return context.withArguments(elements);
		if (elements.length < names.length) throw unpackError(names.length);
		return new Context(context, new Map(names.map((name, index) => [`$${name}`, elements[index] as YaqlValue])));
	}),
	defineMethod(
		"assert",
		[any("obj"), lambda("condition"), optional(text("message"), "Assertion failed")],
		(_call, value, isSatisfied, message) => {
			if (!isTrue(isSatisfied(value))) throw new YaqlError("AssertionError", message);
			return value;
		},
	),
	defineFunction("bool", [any("value")], (_call, value) => isTrue(value)),
	defineFunction("isBoolean", [any("value")], (_call, value) => typeof value === "boolean"),
];

function unpackError(count: number): YaqlError {
	return new YaqlError("ValueError", `the list does not have as many elements as there are names (${count})`);
}
