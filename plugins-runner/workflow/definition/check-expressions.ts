import type { DefinitionFinding } from "../../../core/contract/index.ts";
import type { LocatedUse } from "./find-uses.ts";
import { findingAt } from "./finding.ts";
import { shorten } from "./shorten.ts";

/** Expressions that cannot be evaluated, by their grammar. */
export function checkExpressions(uses: readonly LocatedUse[]): readonly DefinitionFinding[] {
	return uses.flatMap((use) => (use.problem === undefined ? [] : [useFinding(use, "expression", use.problem)]));
}

/** A finding about an expression. */
export function useFinding(use: LocatedUse, type: DefinitionFinding["type"], message: string): DefinitionFinding {
	return { ...findingAt(use.spot, type, message), line: use.line, language: use.language, expression: shorten(use.expression) };
}
