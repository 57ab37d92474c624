import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";
import { shorten } from "./shorten.ts";
import type { SourceNode } from "./source-node.ts";

type FindingType = DefinitionFinding["type"];

/** Returns a finding about a location of a definition, where a value may be missing. */
export function findingAt(spot: SourceNode, type: FindingType, message: string): DefinitionFinding {
	return { type, message: shorten(message), spec_path: spot.path || null, schema_path: spot.schemaPath || null, line: spot.line };
}

/**
 * Sorts findings by type, then by their location in the schema and in the definition. Removes duplicates, and returns at most the first
 * thousand, with a note if there are more.
 */
export function sortFindings(findings: readonly DefinitionFinding[]): readonly DefinitionFinding[] {
	const distinct = new Map(findings.map((finding) => [toSortKey(finding).join("\0"), finding]));
	const sorted = [...distinct.values()].sort(compareFindings);
	if (sorted.length <= limits.findings) return sorted;
	const message = `There are ${sorted.length} findings; only the first ${limits.findings} are listed.`;
	const more: DefinitionFinding = { type: "syntax", message, spec_path: null, schema_path: null, line: null };
	return [...sorted.slice(0, limits.findings), more].sort(compareFindings);
}

function compareFindings(one: DefinitionFinding, other: DefinitionFinding): number {
	const [left, right] = [toSortKey(one), toSortKey(other)];
	for (const [index, part] of left.entries()) {
		const otherPart = right[index] ?? "";
		if (part !== otherPart) return part < otherPart ? -1 : 1;
	}
	return (one.line ?? 0) - (other.line ?? 0);
}

const toSortKey = (finding: DefinitionFinding): readonly string[] => [
	finding.type,
	finding.schema_path ?? "",
	finding.spec_path ?? "",
	finding.message,
	finding.expression ?? "",
];
