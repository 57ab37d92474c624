import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "uvu";
import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { compileCriteria, operatorNames } from "./index.ts";

const now = Date.UTC(2031, 2, 4, 12, 0, 0) * 1_000;

/** `value operator [condition] pattern → outcome`. */
async function readExamples() {
	const page = await readFile(new URL("../../../../docs/reference/operators.md", import.meta.url), "utf8");
	const blocks = [...page.matchAll(/^```text\n([^]*?)^```/gm)].map(([, block]) => block ?? "");
	const form = new RegExp(`^(.*?) (${operatorNames.join("|")})(?: (any|all|any2any|all2any))? (.*) → (true|false|error)$`);
	return blocks
		.flatMap((block) => block.split("\n").filter(Boolean))
		.map((line) => {
			const [, value, type, condition, pattern, outcome] = form.exec(line) ?? [];
			assert.ok(value && type && pattern, line);
			return { line, type, condition, outcome, value: JSON.parse(value) as JsonValue, pattern: JSON.parse(pattern) as JsonValue };
		});
}

test("every example of the operators does what the page says, and every operator has one", async () => {
	const examples = await readExamples();
	for (const { line, type, condition, outcome, value, pattern } of examples) {
		const criteria: JsonObject = { "trigger.v": { type, pattern, ...(condition !== undefined && { condition }) } };
		const verdict = await compileCriteria(criteria).evaluate({ v: value, other: 1 }, { now });
		assert.equal(String(verdict.matched ? true : verdict.error === undefined ? false : "error"), outcome, line);
	}
	assert.deepEqual([...new Set(examples.map(({ type }) => type))].sort(), [...operatorNames]);
});

test.run();
