import { readFile } from "node:fs/promises";
import type { ActionEntity, DefinitionFinding, Expressions, Runner } from "../../../contract/index.ts";
import { resolveEntryPoint } from "../entry-point-api.ts";
import { type PackFileProblem, toProblemsError } from "../reading/pack-problems.ts";

export interface DefinitionParts {
	readonly runners: ReadonlyMap<string, Runner>;
	/** That read nothing: definitions are looked at, and not run. */
	readonly expressions: Expressions;
}

type Defined = Pick<ActionEntity, "pack" | "runner_type" | "entry_point">;

/**
 * `SVC_INVALID`, with file and line, for definitions of workflows that no run could begin with. Which actions there are is not asked:
 * others may bring them later.
 *
 * @param directories of the packs, by ref
 */
export async function assertDefinitions(
	{ runners, expressions }: DefinitionParts,
	actions: readonly Defined[],
	directories: ReadonlyMap<string, string>,
): Promise<void> {
	const problems: PackFileProblem[] = [];
	const seen = new Set<string>();
	for (const { pack, runner_type, entry_point } of actions) {
		const definitions = runners.get(runner_type)?.definitions;
		const directory = directories.get(pack);
		const file = `actions/${entry_point}`;
		if (definitions === undefined || directory === undefined || entry_point === "" || seen.has(`${pack}/${file}`)) continue;
		seen.add(`${pack}/${file}`);
		const text = await readFile(await resolveEntryPoint(directory, entry_point), "utf8");
		const findings = await definitions.inspect(text, { expressions });
		problems.push(...findings.filter(({ type }) => type !== "warning").map((finding) => toProblem(pack, file, finding)));
	}
	if (problems.length > 0) throw toProblemsError(problems);
}

function toProblem(pack: string, file: string, { type, message, line, spec_path: path }: DefinitionFinding): PackFileProblem {
	return { pack, file, message: `${type}: ${message}`, ...(line !== null && { line }), ...(path !== null && { path }) };
}
