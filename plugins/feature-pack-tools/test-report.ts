import { type PackTests, toJunit } from "../../core/cli.ts";
import type { PackTestResult } from "../../core/contract/index.ts";

/** Returns the results of tests in one of the formats of `svc pack test`. */
export function toTestReport(format: "text" | "json" | "junit", tests: readonly PackTests[]): string {
	if (format === "json") return `${JSON.stringify(tests, undefined, 2)}\n`;
	return format === "junit" ? toXml(tests) : tests.map(toText).join("");
}

function toText({ pack, results }: PackTests): string {
	const failed = results.filter(({ problems }) => problems.length > 0).length;
	const skipped = results.filter((result) => result.skipped !== undefined).length;
	const counts = [`${results.length - failed - skipped} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
	return [...results.flatMap(toTestLines), `${pack}: ${results.length === 0 ? "no tests were found" : counts.join(", ")}`]
		.map((line) => `${line}\n`)
		.join("");
}

/** Returns the result of one test: a summary line, followed by its problems. */
export function toTestLines({ file, name, problems, skipped }: PackTestResult): readonly string[] {
	const verdict = problems.length > 0 ? "FAIL" : skipped === undefined ? "ok  " : "skip";
	const reason = skipped === undefined ? "" : ` (${skipped})`;
	return [`${verdict} ${file}: ${name}${reason}`, ...problems.map((problem) => problem.replace(/^/gm, "     "))];
}

function toXml(tests: readonly PackTests[]): string {
	return toJunit(
		tests.map(({ pack, results }) => ({
			name: pack,
			cases: results.map(({ file, name, problems, skipped, milliseconds }) => {
				const error = problems.length > 0 ? problems.join("\n") : undefined;
				return { name, classname: `${pack}.${file}`, milliseconds, error, skipped };
			}),
		})),
	);
}
