import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "uvu";
import type { JsonValue } from "../../core/contract/index.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { toPythonFloat, toPythonText } from "./python-text.ts";

const values: readonly JsonValue[] = [
	"plain text",
	null,
	true,
	false,
	0,
	-5,
	2.55,
	12345678901234,
	["a", 1, null, true, 1.5, [], {}],
	{ foo: "bar", nested: { list: ["x"], "a key": null } },
	[
		"it's",
		'say "hi"',
		`both ' and "`,
		"back\\slash",
		"tab\tline\nreturn\r",
		"\u0000\u0007\u007f\u00a0",
		"é 密码 \u{1f511}",
		"\u200b\u2028\ufeff",
	],
];
const floats = [
	0, 3, -3, 2.55, 0.1, 1e15, 1e16, 1.5e16, 1e21, 1.25e22, 0.0001, 0.00001, 0.000012345, 1e-7, 1.5e-7, 123456.789, 0.3333333333333333,
];

requires(test, { command: "python3" }).test("values are written as Python's str writes them", () => {
	const program = "import json, sys\na, b = json.load(sys.stdin)\nprint(json.dumps([[str(x) for x in a], [str(float(x)) for x in b]]))";
	const { stdout } = spawnSync("python3", ["-c", program], { input: JSON.stringify([values, floats]), encoding: "utf8" });
	assert.deepEqual([values.map(toPythonText), floats.map(toPythonFloat)], JSON.parse(stdout));
});

test.run();
