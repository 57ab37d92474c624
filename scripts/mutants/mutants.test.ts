import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "uvu";
import { allMutants } from "./all-mutants.ts";
import { type Mutant, takeOut } from "./mutant.ts";

test("the text of each mutant occurs once in its file, and its tests are in the short suite", () => {
	for (const mutant of allMutants) {
		const source = readFileSync(mutant.file, "utf8");
		assert.notEqual(takeOut(mutant, source), source, mutant.name);
		assert.ok(mutant.tests.length > 0, `${mutant.name} names no test`);
		for (const file of mutant.tests) {
			assert.ok(existsSync(file), `${mutant.name}: ${file} does not exist`);
			assert.ok(!/^\/\/ test-suite: full$/m.test(readFileSync(file, "utf8")), `${mutant.name}: ${file} is not in the short suite`);
		}
	}
	assert.equal(new Set(allMutants.map(({ name }) => name)).size, allMutants.length);
});

test("a text that occurs never or twice is refused", () => {
	const mutant: Mutant = { name: "one", promise: "", file: "a.ts", text: "x", replacement: "$&", tests: [] };
	assert.equal(takeOut(mutant, "axb"), "a$&b");
	for (const source of ["ab", "xx"]) assert.throws(() => takeOut(mutant, source), /mutant one: its text occurs [02] times in a.ts/);
});

test.run();
