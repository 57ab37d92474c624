import type { ActionSignature, DefinitionFinding, DefinitionServices, JsonObject } from "../../../core/contract/index.ts";
import { checkContext } from "./check-context.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkWarnings } from "./check-warnings.ts";
import { findDefinitionUses, toUses } from "./definition-uses.ts";
import { tasksOf } from "./expand-definition.ts";
import { draftAction } from "./expand-task.ts";
import { ExpressionFinder } from "./expression-finder.ts";
import { findingAt, sortFindings } from "./findings.ts";
import { parseDefinition } from "./read-definition.ts";
import type { SourceNode } from "./source-node.ts";

/**
 * Returns the findings of a definition, of all kinds, as sorted and limited by `sortFindings`. Values of a wrong form are not checked
 * further. Rejects only with errors of `tools`.
 *
 * @param functions Names of functions that expressions may call. If undefined, calls are not checked: a run does not check them, because a
 * call that it never reaches does no harm.
 */
export async function inspectDefinition(
	text: string,
	tools: DefinitionServices,
	functions?: readonly string[],
): Promise<readonly DefinitionFinding[]> {
	const { read, findings } = parseDefinition(text);
	if (read === undefined) return sortFindings(findings);
	const { top, definition } = read;
	const finder = new ExpressionFinder(tools.expressions, functions);
	const uses = findDefinitionUses(top, finder);
	const content =
		tools.findAction === undefined ? [] : await checkContent(top, finder, (ref) => tools.findAction?.(ref) ?? Promise.resolve(undefined));
	return sortFindings([
		...findings,
		...checkExpressions(toUses(uses)),
		...checkContext(definition, uses),
		...content,
		...checkWarnings(top, definition, finder),
	]);
}

type FindAction = NonNullable<DefinitionServices["findAction"]>;

/** Returns findings about actions and their parameters. An action that an expression names cannot be checked. */
async function checkContent(top: SourceNode, finder: ExpressionFinder, findAction: FindAction): Promise<readonly DefinitionFinding[]> {
	const signatures = new Map<string, ActionSignature | undefined>();
	const findings: DefinitionFinding[] = [];
	for (const task of tasksOf(top).values()) {
		const { action, input } = draftAction(task);
		const spot = task.property("action");
		if (action === null || finder.findIn(action, spot).length > 0) continue;
		if (!/^[^.\s]+\.\S+$/.test(action)) {
			findings.push(findingAt(spot, "content", `The action reference "${action}" is not formatted correctly.`));
			continue;
		}
		if (!signatures.has(action)) signatures.set(action, await findAction(action));
		const signature = signatures.get(action);
		if (signature === undefined) findings.push(toMissingAction(spot, action));
		else findings.push(...checkAction(task, signature), ...checkInput(task.property("input"), input, { action, signature, finder }));
	}
	return findings;
}

function toMissingAction(spot: SourceNode, action: string): DefinitionFinding {
	return { ...findingAt(spot, "content", `The action "${action}" is not registered in the database.`), missing_action: action };
}

function checkAction(task: SourceNode, { ref, enabled }: ActionSignature): readonly DefinitionFinding[] {
	return enabled ? [] : [findingAt(task.property("action"), "warning", `The action "${ref}" is disabled.`)];
}

interface CheckedAction {
	readonly action: string;
	readonly signature: ActionSignature;
	readonly finder: ExpressionFinder;
}

function checkInput(
	spot: SourceNode,
	input: JsonObject | string,
	{ action, signature, finder }: CheckedAction,
): readonly DefinitionFinding[] {
	const { parameters } = signature;
	if (typeof input === "string" || finder.findIn(Object.keys(input), spot).length > 0) return [];
	const findings: DefinitionFinding[] = [];
	for (const [name, { required, default: defaultValue }] of Object.entries(parameters))
		if (required === true && (defaultValue ?? null) === null && !Object.hasOwn(input, name))
			findings.push(findingAt(spot, "content", `Action "${action}" is missing required input "${name}".`));
	for (const name of Object.keys(input)) {
		const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
		const location = spot.at(name, "patternProperties.^\\w+$");
		if (parameter === undefined) findings.push(findingAt(location, "content", `Action "${action}" has unexpected input "${name}".`));
		else if (parameter.immutable === true)
			findings.push(findingAt(location, "content", `Input "${name}" of action "${action}" is immutable and cannot be set.`));
	}
	return findings;
}
