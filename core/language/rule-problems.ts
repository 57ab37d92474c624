import type { ActionSignature, JsonValue, RuleEntity } from "../contract/index.ts";
import { nearMiss } from "../lib/did-you-mean.ts";
import { compileExpression } from "./expressions/compile-expression.ts";
import { findUnknownCalls } from "./expressions/unknown-calls.ts";
import { TemplateError, TemplateSyntaxError } from "./templates/errors.ts";
import { compileTemplate, isTemplate } from "./templates/template.ts";

/** Something in a rule that can be stored, and that keeps the rule from acting as it is meant to. */
export interface RuleProblem {
	/** Members from the outside in, such as `action`, `parameters`, `message`. */
	readonly path: readonly string[];
	readonly message: string;
	/** `action`: it does not exist. `parameter`: the action does not take it. `call`: in a template. `other`: it may be right elsewhere. */
	readonly type: "action" | "parameter" | "call" | "other";
}

export type CheckedRule = Pick<RuleEntity, "action_ref" | "action_parameters" | "criteria">;

/** Names whose misspellings are told; all others can be parameters of the action or texts that are kept. */
const variables = ["trigger", "config_context", "action_context"];

/**
 * Returns what is wrong between a rule and its action, and in the templates of the rule: an action that does not exist, parameters that it
 * does not have or does not let be set, required ones that are missing, filters, functions and tests that do not exist.
 */
export function findRuleProblems(rule: CheckedRule, action: ActionSignature | undefined): readonly RuleProblem[] {
	return [
		...checkAction(rule, action),
		...checkTemplates(rule.criteria, ["criteria"]),
		...checkTemplates(rule.action_parameters, ["action", "parameters"]),
	];
}

function checkAction(
	{ action_ref: ref, action_parameters: given }: CheckedRule,
	action: ActionSignature | undefined,
): readonly RuleProblem[] {
	if (action === undefined) return [{ type: "action", path: ["action", "ref"], message: `there is no action "${ref}"` }];
	const { parameters } = action;
	const problems: RuleProblem[] = [];
	if (!action.enabled) problems.push({ type: "other", path: ["action", "ref"], message: `the action "${ref}" is disabled` });
	for (const name of Object.keys(given)) {
		const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
		const path = ["action", "parameters", name];
		if (parameter === undefined) problems.push({ type: "parameter", path, message: `the action "${ref}" has no parameter "${name}"` });
		else if (parameter.immutable === true)
			problems.push({ type: "parameter", path, message: `the action "${ref}" does not let "${name}" be set` });
	}
	for (const [name, { required, default: value }] of Object.entries(parameters)) {
		if (required !== true || (value !== undefined && value !== null) || Object.hasOwn(given, name)) continue;
		problems.push({ type: "other", path: ["action", "parameters"], message: `the action "${ref}" requires the parameter "${name}"` });
	}
	return problems;
}

function checkTemplates(value: JsonValue, path: readonly string[]): readonly RuleProblem[] {
	if (typeof value === "string") return checkText(value).map((problem) => ({ ...problem, path }));
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, member]) => checkTemplates(member as JsonValue, [...path, name]));
}

function checkText(text: string): readonly Omit<RuleProblem, "path">[] {
	if (!isTemplate(text)) return [];
	try {
		const { names } = compileTemplate(text).references;
		const misspelled = names.flatMap((name) => {
			const hint = variables.includes(name) ? "" : nearMiss(name, variables);
			return hint === "" ? [] : [{ type: "other", message: `there is no variable "${name}"${hint}` } as const];
		});
		const unknown = findUnknownCalls("jinja", compileExpression("jinja", text).calls, { functions: [] });
		return [...unknown.map((message) => ({ type: "call", message }) as const), ...misspelled];
	} catch (error) {
		// A text that is not a valid template is refused when the rule is stored, or is kept as a text.
		if (error instanceof TemplateSyntaxError || error instanceof TemplateError) return [];
		throw error;
	}
}
