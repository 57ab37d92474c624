import type { DefinitionCaseResult, DefinitionFinding } from "../../contract/index.ts";

/** Formats findings like compiler messages, so that editors can jump to the line. */
export function toFindingText(subject: string, findings: readonly DefinitionFinding[]): string {
	return findings
		.map(({ line, type, message, spec_path }) => {
			const place = line === null ? subject : `${subject}:${line}`;
			return `${place}: ${type}: ${message}${spec_path === null ? "" : ` (${spec_path})`}\n`;
		})
		.join("");
}

/** Returns true if a definition with these findings may run. */
export function mayRun(findings: readonly DefinitionFinding[]): boolean {
	return findings.every(({ type }) => type === "warning");
}

/** Returns the result of each test case, and how many passed. */
export function toCaseText(results: readonly DefinitionCaseResult[]): string {
	const passed = results.filter(({ problems }) => problems.length === 0);
	const lines = results.flatMap(({ name, problems }) => [
		`${problems.length === 0 ? "ok  " : "FAIL"} ${name}`,
		...problems.map((problem) => problem.replace(/^/gm, "     ")),
	]);
	return `${[...lines, `${passed.length} of ${results.length} cases passed`].join("\n")}\n`;
}
