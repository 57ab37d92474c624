import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackFinding } from "../../contract/index.ts";
import { findingOf, LocatedYaml, type PackInspection } from "../../features/packs/inspect-pack-api.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { toSignature } from "../../kernel/executions/action-catalog.ts";
import { findRuleProblems, type RuleProblem } from "../../language/rule-problems.ts";
import type { DraftedPacks } from "./draft-packs.ts";
import type { KnownActions } from "./inspect-definitions.ts";

/** Finds what is wrong between the rules and aliases of a pack and their actions, and calls in templates of rules that do not exist. */
export async function inspectRules(
	{ ref: pack, directory }: PackInspection,
	{ storage }: DraftedPacks,
	known: KnownActions,
): Promise<readonly PackFinding[]> {
	const found: PackFinding[] = [];
	const findAction = async (ref: string) => {
		const [action] = await storage.find("action", { where: { ref }, limit: 1 });
		const [type] = action === undefined ? [] : await storage.find("runner_type", { where: { name: action.runner_type }, limit: 1 });
		return action && type && toSignature(action, type);
	};
	for (const { metadata_file: file, ...rule } of await storage.find("rule", { where: { pack } })) {
		const problems = findRuleProblems(rule, await findAction(rule.action_ref));
		if (file !== null) found.push(...(await locate(directory, file, problems, (problem) => typeOf(problem, rule.action_ref, known))));
	}
	for (const { metadata_file: file, action_ref: ref } of await storage.find("action_alias", { where: { pack } })) {
		const problems = (await findAction(ref)) === undefined ? [{ path: ["action_ref"], message: `there is no action "${ref}"` }] : [];
		if (file !== null) found.push(...(await locate(directory, file, problems, () => typeOf({ type: "action" }, ref, known))));
	}
	return found;
}

type Located = Pick<RuleProblem, "path" | "message">;

async function locate<P extends Located>(
	directory: string,
	file: string,
	problems: readonly P[],
	toType: (problem: P) => PackFinding["type"] | undefined,
): Promise<readonly PackFinding[]> {
	if (problems.length === 0) return [];
	const yaml = new LocatedYaml(await readFile(join(directory, file), "utf8"));
	return problems.flatMap((problem) => {
		const type = toType(problem);
		if (type === undefined) return [];
		return [{ ...findingOf(type, file, problem.message, yaml.lineOf(problem.path)), path: problem.path.join(".") }];
	});
}

/** Undefined for an action whose own file is wrong, which is told there. */
function typeOf({ type }: Pick<RuleProblem, "type">, ref: string, { packs, described }: KnownActions): PackFinding["type"] | undefined {
	if (type === "other") return "note";
	if (type !== "action") return "error";
	if (described.has(ref)) return undefined;
	// It may be there where the rule will act.
	return packs.has(splitRef(ref).pack) ? "error" : "note";
}
