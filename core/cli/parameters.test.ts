import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions } from "../contract/index.ts";
import { parseParameters } from "./parameters.ts";

const action: ParameterDefinitions = {
	text: { type: "string" },
	count: { type: "integer" },
	ratio: { type: "number" },
	force: { type: "boolean" },
	hosts: { type: "array" },
	env: { type: "object" },
	free: {},
	timeout: { type: "string" },
	rows: { type: "array", properties: { size: { type: "integer" } } },
};
const runner: ParameterDefinitions = { cmd: { type: "string" }, timeout: { type: "integer" } };
const parse = (words: string[], autoDict = false) => parseParameters(words, { action, runner }, { autoDict });

const accepted: readonly (readonly [words: string[], values: JsonObject])[] = [
	[["text=a=b"], { text: "a=b" }],
	[["text="], { text: "" }],
	[["text=7"], { text: "7" }],
	[["count=-7"], { count: -7 }],
	[["ratio=1.5e3"], { ratio: 1500 }],
	[["force=TRUE"], { force: true }],
	[["hosts=a, b"], { hosts: ["a", "b"] }],
	[['hosts=["a",1]'], { hosts: ["a", 1] }],
	[["hosts=5"], { hosts: [5] }],
	[["hosts="], { hosts: [] }],
	[["hosts=a", "hosts=b,c"], { hosts: ["a", "b", "c"] }],
	[['env={"A":1}'], { env: { A: 1 } }],
	[["env=A=1,B=x=y"], { env: { A: "1", B: "x=y" } }],
	[["text=a", "text=b"], { text: "b" }],
	[["unknown=1"], { unknown: "1" }],
	[["free=1"], { free: "1" }],
	[["timeout=5"], { timeout: 5 }],
	[["date"], { cmd: "date" }],
	[["timeout=5", "ls", "-la", "a=b"], { timeout: 5, cmd: "ls -la a=b" }],
	[["=x", "y"], { cmd: "=x y" }],
];

for (const [words, values] of accepted) {
	test(`${words.join(" ")} gives ${JSON.stringify(values)}`, () => assert.deepEqual(parse(words), values));
}

for (const word of ["count=1.5", "count=", "ratio=x", "ratio=", "force=yes", "force=1", "env={", "env=a"]) {
	test(`${word} is refused with the parameter's name and what is allowed`, () => {
		const name = word.split("=")[0];
		assert.throws(() => parse([word]), { name: "CliExit", exitCode: 1, message: new RegExp(`parameter "${name}" must be`) });
	});
}

test("a parameter called __proto__ is an ordinary one", () => {
	const values = parse(["__proto__=x"]);
	assert.deepEqual(Object.keys(values), ["__proto__"]);
	assert.equal(Object.getPrototypeOf(values), Object.prototype);
});

test("with auto-dict every occurrence makes one object, cast by its properties", () => {
	assert.deepEqual(parse(["rows=name:a,size:1", "rows=name:b,size:2"], true), {
		rows: [
			{ name: "a", size: 1 },
			{ name: "b", size: 2 },
		],
	});
});

test("@name=file sends the text of the file", () => {
	const directory = mkdtempSync(join(tmpdir(), "svc-cli-"));
	try {
		writeFileSync(join(directory, "text"), "first\nsecond\n");
		assert.deepEqual(parse([`@text=${directory}/text`]), { text: "first\nsecond\n" });
		assert.throws(() => parse([`@text=${directory}/none`]), {
			name: "CliExit",
			message: /^parameter "text": file ".*none" does not exist$/,
		});
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test.run();
