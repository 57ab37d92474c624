import type { ActionSignature, JsonValue, RuleEntity } from "../contract/index.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { compileExpression } from "./expressions/compile-expression.ts";
import { findUnknownCalls } from "./expressions/unknown-calls.ts";
import { TemplateError, TemplateSyntaxError } from "./templates/errors.ts";
import { compileTemplate, isTemplate } from "./templates/template.ts";

/** Problem of a rule that can be stored, but does not work as its author intended. */
export interface RuleProblem {
	/** Names of the members on the path to the problem, from the outside in, such as `action`, `parameters`, `message`. */
	readonly path: readonly string[];
	readonly message: string;
	/**
	 * Kind of the problem:
	 * - `action`: the action does not exist.
	 * - `parameter`: the action has no such parameter, or it is immutable.
	 * - `call`: a template calls something that does not exist.
	 * - `other`: the rule may be correct under other conditions.
	 */
	readonly type: "action" | "parameter" | "call" | "other";
}

/** Members of a rule that are checked. */
export type CheckedRule = Pick<RuleEntity, "action_ref" | "action_parameters" | "criteria">;

/** Variables whose misspellings are reported. Any other name may be a parameter of the action or belong to a literal. */
const contextVariables = ["trigger", "config_context", "action_context"];

/**
 * Returns the conflicts between a rule and its action, and the problems in the templates of the rule. It finds a missing action, unknown,
 * immutable and missing parameters, and unknown filters, functions and tests.
 */
export function findRuleProblems(rule: CheckedRule, action: ActionSignature | undefined): readonly RuleProblem[] {
	return [
		...checkAction(rule, action),
		...checkTemplates(rule.criteria, ["criteria"]),
		...checkTemplates(rule.action_parameters, ["action", "parameters"]),
	];
}

function checkAction(
	{ action_ref: ref, action_parameters: values }: CheckedRule,
	action: ActionSignature | undefined,
): readonly RuleProblem[] {
	if (action === undefined) return [{ type: "action", path: ["action", "ref"], message: `action "${ref}" does not exist` }];
	const { parameters } = action;
	const problems: RuleProblem[] = [];
	if (!action.enabled) problems.push({ type: "other", path: ["action", "ref"], message: `action "${ref}" is disabled` });
	for (const name of Object.keys(values)) {
		const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
		const path = ["action", "parameters", name];
		if (parameter === undefined) problems.push({ type: "parameter", path, message: `action "${ref}" has no parameter "${name}"` });
		else if (parameter.immutable === true)
			problems.push({ type: "parameter", path, message: `parameter "${name}" of action "${ref}" is immutable and cannot be set` });
	}
	for (const [name, { required, default: value }] of Object.entries(parameters)) {
		if (required !== true || (value !== undefined && value !== null) || Object.hasOwn(values, name)) continue;
		problems.push({ type: "other", path: ["action", "parameters"], message: `action "${ref}" requires the parameter "${name}"` });
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
			const hint = contextVariables.includes(name) ? "" : didYouMean(name, contextVariables);
			return hint === "" ? [] : [{ type: "other", message: `variable "${name}" does not exist${hint}` } as const];
		});
		const unknownCalls = findUnknownCalls("jinja", compileExpression("jinja", text).calls, { functions: [] });
		return [...unknownCalls.map((message) => ({ type: "call", message }) as const), ...misspelled];
	} catch (error) {
		// A string that is not a valid template is either refused when the rule is stored, or is a literal.
		if (error instanceof TemplateSyntaxError || error instanceof TemplateError) return [];
		throw error;
	}
}
