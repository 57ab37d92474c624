import type { PackFinding } from "../../../contract/index.ts";
import type { LocatedYaml } from "./located-yaml.ts";
import type { MemberProblem } from "./message-path.ts";

/** Returns a finding about a file as a whole. */
export function findingOf(type: PackFinding["type"], file: string, message: string, line: number | null = null): PackFinding {
	return { type, file, line, path: null, message };
}

/** Returns a finding about a member of a file, with its line. */
export function locatedFinding(
	file: string,
	yaml: LocatedYaml,
	{ path, message }: MemberProblem,
	type: PackFinding["type"] = "error",
): PackFinding {
	return { type, file, line: yaml.lineOf(path), path: path.length === 0 ? null : toText(path), message };
}

function toText(path: readonly string[]): string {
	return path.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : `${index === 0 ? "" : "."}${name}`)).join("");
}

/** Returns the findings sorted by file, line and type. */
export function sortFindings(findings: readonly PackFinding[]): readonly PackFinding[] {
	const order = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1);
	return [...findings].sort(
		(one, other) => order(one.file, other.file) || (one.line ?? 0) - (other.line ?? 0) || order(one.type, other.type),
	);
}
