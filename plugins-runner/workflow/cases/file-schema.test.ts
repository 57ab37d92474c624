import * as assert from "node:assert/strict";
import { Ajv } from "ajv";
import { test } from "uvu";
import { parse } from "yaml";
import { workflowCasesSchema } from "./file-schema.ts";
import { readCases } from "./read-cases.ts";

const validate = new Ajv({ allErrors: true, strict: false }).compile(workflowCasesSchema);

test("editors find in cases what is found when they are read", () => {
	const rows: readonly [text: string, isSound: boolean][] = [
		["- name: a", true],
		["- {name: a, input: {}, results: [{task: b, status: failed, item: 0}], expect: {tasks: [b], output: null}}", true],
		["[]", false],
		["- {}", false],
		["- {name: a, expect: {state: failed}}", false],
		["- {name: a, results: [{status: failed}]}", false],
		["- {name: a, results: [{task: b, occurrence: 0}]}", false],
	];
	for (const [text, isSound] of rows) {
		assert.equal(validate(parse(text)), isSound, text);
		if (isSound) readCases(text);
		else assert.throws(() => readCases(text));
	}
});

test.run();
