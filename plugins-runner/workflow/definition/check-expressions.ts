import type { DefinitionFinding } from "../../../core/contract/index.ts";
import type { LocatedUse } from "./expression-finder.ts";
import { findingAt } from "./findings.ts";
import { shorten } from "./shorten.ts";

/**
 * Returns findings about expressions that cannot be evaluated, because of their grammar or because they call a function that does not
 * exist.
 */
export function checkExpressions(uses: readonly LocatedUse[]): readonly DefinitionFinding[] {
	return uses.flatMap((use) => {
		const problems = use.problem === undefined ? (use.unknown ?? []) : [use.problem];
		return problems.map((problem) => useFinding(use, "expression", problem));
	});
}

/** Returns a finding about an expression. */
export function useFinding(use: LocatedUse, type: DefinitionFinding["type"], message: string): DefinitionFinding {
	return { ...findingAt(use.spot, type, message), line: use.line, language: use.language, expression: shorten(use.expression) };
}
