import * as assert from "node:assert/strict";
import { Ajv } from "ajv";
import { test } from "uvu";
import { parse } from "yaml";
import { workflowFileSchema } from "./file-schema.ts";
import { inspect } from "./inspection.test-support.ts";

const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false }).compile(workflowFileSchema);

test("editors find in a definition what its inspection finds in its form", async () => {
	const rows: readonly [text: string, isSound: boolean][] = [
		["version: 1.0\ntasks: {a: {}}", true],
		["version: '1.0'\ninput: [a, {b: 1}]\nvars: [{c: null}]\noutput: [{d: 1}]\ntimeout: 5\ntasks: {größe: {join: all, delay: 0}}", true],
		["tasks:\n  a:\n    with: i in <% [1] %>\n    action: core.noop", true],
		["tasks:\n  a:\n    with: {items: '{{ x }}', concurrency: 1, continue_on_failure: true}\n    action: core.noop", true],
		[
			"tasks:\n  a:\n    retry: {count: 1}\n    timeout: 1\n    next: [{when: <% failed() %>, publish: 'a=1', do: 'noop, fail'}, {publish: [{b: 1}], do: [continue]}]",
			true,
		],
		["version: 2\ntasks: {a: {}}", false],
		["tasks: {}", false],
		["tasks: {a-b: {}}", false],
		["tasks: {a: {foo: 1}}", false],
		["tasks: {a: {with: nothing, action: core.noop}}", false],
		["tasks: {a: {with: {concurrency: 1}, action: core.noop}}", false],
		["tasks: {a: {join: some}}", false],
		["tasks: {a: {next: [{do: [noop, noop]}]}}", false],
		["vars: {a: 1}\ntasks: {a: {}}", false],
	];
	for (const [text, isSound] of rows) {
		assert.equal(validate(parse(text)), isSound, text);
		const findings = await inspect(text);
		assert.equal(
			findings.every(({ type }) => type !== "syntax"),
			isSound,
			text,
		);
	}
});

test.run();
