import { join, relative } from "node:path";
import type { PackCheck } from "../../core/cli.ts";
import type { PackFinding } from "../../core/contract/index.ts";

/**
 * Returns the findings in the format of compiler messages, so that editors link them to the line, and their counts for each pack.
 *
 * @param base directory that paths are relative to
 */
export function toCheckText(checks: readonly PackCheck[], base: string): string {
	const lines = checks.flatMap((check) => {
		const { pack, findings } = check;
		const errors = countErrors(findings);
		return [...toCheckLines(check, base), `${pack}: ${count(errors, "error")}, ${count(findings.length - errors, "note")}`];
	});
	return lines.map((line) => `${line}\n`).join("");
}

/** Returns one line for each finding. */
export function toCheckLines({ directory, findings }: PackCheck, base: string): readonly string[] {
	return findings.map((finding) => toLine(finding, directory, base));
}

export function countErrors(findings: readonly PackFinding[]): number {
	return findings.filter(({ type }) => type === "error").length;
}

function toLine({ type, file, line, path, message }: PackFinding, directory: string, base: string): string {
	const place = relative(base, join(directory, file)) || ".";
	return `${place}${line === null ? "" : `:${line}`}: ${type}: ${message}${path === null ? "" : ` (${path})`}`;
}

/** Returns a count with its noun in the singular or plural: `1 error`, `2 errors`. */
export function count(number: number, word: string): string {
	return `${number} ${word}${number === 1 ? "" : "s"}`;
}
