import * as assert from "node:assert/strict";
import { Ajv } from "ajv";
import { test } from "uvu";
import { parse } from "yaml";
import { chainFileSchema } from "./file-schema.ts";
import { readChain } from "./read-chain.ts";

const validate = new Ajv({ allErrors: true, strict: false }).compile(chainFileSchema);

test("editors find in a chain what is found in its form when it is read", () => {
	const rows: readonly [text: string, isSound: boolean][] = [
		["chain: [{name: a, ref: t.a}]", true],
		["chain: [{name: a, ref: t.a, on-success: '', params: {x: 1}, parameters: null, colour: red}]\ndefault: a\nvars: {x: 1}", true],
		["chain: [{name: a, ref: t.a, publish: {b: 1}, notify: {on-complete: {message: m}}}]", true],
		["chain: []", false],
		["vars: {}", false],
		["chain: {}", false],
		["chain: [{name: a}]", false],
		["chain: [{name: '', ref: t.a}]", false],
		["chain: [{name: a, ref: t.a, params: {}, parameters: {}}]", false],
		["chain: [{name: a, ref: t.a, on-success: [b]}]", false],
		["chain: [{name: a, ref: t.a, publish: {a-b: 1}}]", false],
		["chain: [{name: a, ref: t.a}]\nother: 1", false],
		["chain: [{name: a, ref: t.a}]\nvars: []", false],
	];
	for (const [text, isSound] of rows) {
		assert.equal(validate(parse(text)), isSound, text);
		const read = () => readChain(text, "tests.chain");
		if (isSound) read();
		else assert.throws(read);
	}
});

test.run();
