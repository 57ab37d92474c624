import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findRefused, readRefused } from "./check-names.ts";

const refused = readRefused("# names\nfile breath\n\ntype Seams # the extension points\n");

test("files and declared types with a refused name are found, tests included", () => {
	const problems = findRefused(
		[
			{ path: "core/lib/breath.ts", text: "" },
			{ path: "core/lib/breath.test.ts", text: "" },
			{ path: "core/lib/breathing.ts", text: "export class Seams {}\n" },
		],
		refused,
	);
	assert.deepEqual(problems, [
		'core/lib/breath.ts: the file name "breath" is refused by scripts/refused-names.txt',
		'core/lib/breath.test.ts: the file name "breath" is refused by scripts/refused-names.txt',
		'core/lib/breathing.ts: the type name "Seams" is refused by scripts/refused-names.txt',
	]);
});

test("uses of a refused type name, and names that contain one, are not found", () => {
	assert.deepEqual(findRefused([{ path: "core/a.ts", text: "const seams: Seams = x;\ninterface SeamsOfKernel {}\n" }], refused), []);
});

test("a line that is neither a file nor a type is an error", () => {
	assert.throws(() => readRefused("member seams"), /"member seams" must be/);
});

test.run();
