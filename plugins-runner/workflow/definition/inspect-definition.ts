import type { DefinitionFinding, DefinitionTools } from "../../../core/contract/index.ts";
import { checkContent } from "./check-content.ts";
import { checkContext } from "./check-context.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkWarnings } from "./check-warnings.ts";
import { findDefinitionUses, toUses } from "./definition-uses.ts";
import { UseFinder } from "./find-uses.ts";
import { sortFindings } from "./finding.ts";
import { readText } from "./read-definition.ts";

/**
 * Everything that is wrong with the text of a definition, of all kinds at once, sorted by type, then by place. What has a wrong form is not
 * looked at any further, everything else is. Rejects only with what `tools` reject with.
 *
 * @param functions names that expressions may call; undefined: calls are not checked. A run does not check them, as a call that it never
 * reaches does no harm.
 */
export async function inspectDefinition(
	text: string,
	tools: DefinitionTools,
	functions?: readonly string[],
): Promise<readonly DefinitionFinding[]> {
	const { read, findings } = readText(text);
	if (read === undefined) return sortFindings(findings);
	const { top, definition } = read;
	const finder = new UseFinder(tools.expressions, functions);
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
