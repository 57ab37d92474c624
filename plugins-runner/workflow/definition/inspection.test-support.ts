import type {
	ActionSignature,
	DefinitionFinding,
	DefinitionTools,
	Expressions,
	ExpressionUse,
	JsonValue,
} from "../../../core/contract/index.ts";
import { inspectDefinition } from "./inspect-definition.ts";

/** Finds expressions by their delimiters, and variables by how they are usually written. Evaluates nothing. */
const expressions: Expressions = {
	find: (value) => textsOf(value).flatMap(findInText),
	evaluate: () => Promise.reject(new Error("nothing is evaluated while a definition is inspected")),
};

function textsOf(value: JsonValue): readonly string[] {
	if (typeof value === "string") return [value];
	if (Array.isArray(value)) return value.flatMap(textsOf);
	return value === null || typeof value !== "object" ? [] : Object.entries(value).flatMap(([name, each]) => [name, ...textsOf(each)]);
}

function findInText(text: string): readonly ExpressionUse[] {
	const found = text.match(/<%.*?%>|\{\{.*?\}\}/g) ?? [];
	const isMixed = found.some((each) => each.startsWith("<%")) && found.some((each) => each.startsWith("{{"));
	if (isMixed)
		return [
			{ language: "jinja", expression: text, problem: "Expression with multiple types is not supported.", variables: [], functions: [] },
		];
	return found.map((expression) => ({
		language: expression.startsWith("<%") ? "yaql" : "jinja",
		expression,
		...(/^<% *<%/.test(expression) ? { problem: "Lexical error" } : {}),
		variables: [...expression.matchAll(/ctx\(["']?(\w+)["']?\)|ctx\(\)\.(?!get\()(\w+)/g)].map((match) => match[1] ?? match[2] ?? ""),
		functions: [],
	}));
}

const actions: readonly ActionSignature[] = [
	{ ref: "core.noop", enabled: true, parameters: {} },
	{ ref: "core.echo", enabled: true, parameters: { message: { type: "string", required: true }, times: { required: true, default: 1 } } },
	{ ref: "core.fixed", enabled: true, parameters: { a: { immutable: true, default: 1 } } },
	{ ref: "core.off", enabled: false, parameters: {} },
];

export const tools = {
	expressions,
	findAction: async (ref) => actions.find((action) => action.ref === ref),
} as const satisfies DefinitionTools;

export function inspect(text: string): Promise<readonly DefinitionFinding[]> {
	return inspectDefinition(text, tools);
}
