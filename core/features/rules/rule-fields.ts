import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, type RuleEntity, SvcError } from "../../contract/index.ts";
import { assertRefNames } from "../../kernel/basics/names.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { assertValueCount } from "../../language/parameters/value-count.ts";
import { TemplateError, TemplateSyntaxError } from "../../language/templates/errors.ts";
import { compileTemplate, isTemplate } from "../../language/templates/template.ts";
import { withWorkBudget } from "../../language/work-budget.ts";
import { checkPatterns, compileCriteria } from "./criteria/index.ts";
import { ruleTypes } from "./rule-types.ts";
import type { RuleInput } from "./rules-exports.ts";

/** Fields of a rule that can be checked without its trigger. */
export type RuleFields = Omit<RuleEntity, "id" | "trigger" | "trigger_type" | "user" | "scopes">;

/** Maximum number of values in criteria and their patterns. All of them are evaluated for each event. */
const maxCriteriaValues = 2_000;

const refPattern = /^[a-z0-9_]{1,255}\.[A-Za-z0-9_.-]{1,255}$/;

/**
 * Returns the fields to store. Throws `SVC_INVALID`, which names the invalid field. The action need not exist.
 *
 * @param stored criteria of the stored rule; undefined for a new rule. If the criteria are unchanged, their patterns are not checked: an
 * earlier version may have accepted invalid ones, and users must still be able to disable such a rule.
 */
export function toRuleFields(input: RuleInput, pack: string, stored?: JsonObject): RuleFields {
	const { name, type = { ref: "standard" }, criteria = {}, action } = input;
	assertRefNames({ pack, name });
	const known = ruleTypes.find((candidate) => candidate.name === type.ref);
	if (known === undefined) {
		throw new SvcError("SVC_INVALID", `type.ref: "${type.ref}" must be one of ${ruleTypes.map((ruleType) => ruleType.name).join(", ")}`);
	}
	if (!refPattern.test(action.ref)) throw new SvcError("SVC_INVALID", `action.ref: "${action.ref}" must be <pack>.<action>`);
	assertValueCount("criteria", criteria, maxCriteriaValues);
	assertDepth("action.parameters", action.parameters ?? {});
	assertDepth("criteria", criteria);
	compileCriteria(criteria);
	if (!isDeepStrictEqual(criteria, stored)) checkPatterns(criteria);
	withWorkBudget(() => {
		checkTemplates("criteria", criteria);
		checkTemplates("action.parameters", action.parameters ?? {});
	});
	return {
		ref: `${pack}.${name}`,
		pack,
		name,
		description: input.description ?? "",
		type: known.name,
		// A rule must not start to act because its author omitted `enabled`.
		enabled: input.enabled ?? false,
		action_ref: action.ref,
		revision: randomUUID(),
		metadata_file: input.metadata_file || null,
		criteria,
		action_parameters: action.parameters ?? {},
		type_parameters: type.parameters ?? {},
		tags: input.tags ?? [],
	};
}

/**
 * Throws `SVC_INVALID` with the field if a string has template syntax but is not a valid template. Without this check, the error would
 * occur unnoticed when the rule acts: the action would receive the string unchanged, and a criterion would fail for each event.
 */
function checkTemplates(path: string, value: JsonValue): void {
	if (typeof value === "string") return checkText(path, value);
	if (typeof value !== "object" || value === null) return;
	for (const [name, member] of Object.entries(value)) {
		checkTemplates(Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, member);
	}
}

function checkText(path: string, text: string): void {
	if (!isTemplate(text)) return;
	try {
		compileTemplate(text);
	} catch (error) {
		if (!(error instanceof TemplateSyntaxError || error instanceof TemplateError)) throw error;
		const hint = "hint: put literal braces between {% raw %} and {% endraw %}";
		throw new SvcError("SVC_INVALID", `${path}: must be a valid template: ${error.message}; ${hint}`, { cause: error });
	}
}
