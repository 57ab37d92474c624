import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";
import { shorten } from "./shorten.ts";
import type { Spot } from "./source.ts";

type FindingType = DefinitionFinding["type"];

/** A finding about what stands, or is missing, in a place. */
export function findingAt(spot: Spot, type: FindingType, message: string): DefinitionFinding {
	return { type, message: shorten(message), spec_path: spot.path || null, schema_path: spot.schemaPath || null, line: spot.line };
}

/** By type, then by their place in the schema and in the definition; without those that say the same, and the first thousand only. */
export function sortFindings(findings: readonly DefinitionFinding[]): readonly DefinitionFinding[] {
	const different = new Map(findings.map((finding) => [toSortKey(finding).join("\0"), finding]));
	const sorted = [...different.values()].sort(compareFindings);
	if (sorted.length <= limits.findings) return sorted;
	const message = `There are ${sorted.length} findings, of which the first ${limits.findings} are told.`;
	const more: DefinitionFinding = { type: "syntax", message, spec_path: null, schema_path: null, line: null };
	return [...sorted.slice(0, limits.findings), more].sort(compareFindings);
}

function compareFindings(one: DefinitionFinding, other: DefinitionFinding): number {
	const [left, right] = [toSortKey(one), toSortKey(other)];
	for (const [index, part] of left.entries()) {
		const against = right[index] ?? "";
		if (part !== against) return part < against ? -1 : 1;
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
