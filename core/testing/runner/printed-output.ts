import * as assert from "node:assert/strict";
import type { TestRunContext } from "../run-context.ts";

/** Maximum characters of a line that a message shows. */
const maxShownCharacters = 80;

/** Returns the output of a case that prints `count` lines. */
export function toLines(count: number): string {
	return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}

/** Fails with the first line of stdout that differs from `expected`. */
export function assertPrinted(run: Pick<TestRunContext, "text">, expected: string): void {
	const actual = run.text("stdout");
	if (actual === expected) return;
	const message = `stdout is not what the case must print; ${toExpectation(expected, actual)}`;
	// Omit `actual` and `expected`, because test runners would print both texts in full.
	throw new assert.AssertionError({ message, operator: "fail" });
}

/** Describes the expected output, its first difference from the actual output, and the remedy. */
export function toExpectation(expected: string, actual: string): string {
	const hint = "print exactly this text, or set `readOutput` if the runner has an output format of its own";
	return `${toWanted(expected)}; ${toFirstDifference(expected, actual)}; hint: ${hint}`;
}

function toWanted(expected: string): string {
	const lines = toParts(expected);
	if (lines.length < 3) return `the case must print ${JSON.stringify(expected)}`;
	return `the case must print ${lines.length} lines, ${JSON.stringify(lines[0])} to ${JSON.stringify(lines.at(-1))}`;
}

function toFirstDifference(expected: string, actual: string): string {
	if (actual === "") return "it has printed nothing";
	const [wanted, found] = [toParts(expected), toParts(actual)];
	let index = 0;
	while (index < wanted.length && wanted[index] === found[index]) index++;
	return `first difference in line ${index + 1}: expected ${show(wanted[index])}, printed ${show(found[index])}`;
}

/** Splits a text into lines that include their line ends. */
function toParts(text: string): readonly string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function show(line: string | undefined): string {
	if (line === undefined) return "nothing more";
	const text = JSON.stringify(line.slice(0, maxShownCharacters));
	return line.length > maxShownCharacters ? `${text}… (${line.length} characters)` : text;
}
