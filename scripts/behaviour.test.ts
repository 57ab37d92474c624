import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "uvu";
import { behaviour, onDisk, withoutBus } from "./behaviour.ts";

const backend = "core/testing/backends/backend.test-support.ts";

/** Whether a file imports another one, itself or by way of what supports it. */
function reaches(file: string, target: string, seen = new Set<string>()): boolean {
	if (file === target) return true;
	seen.add(file);
	const imports = [...readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+\.test-support\.ts)"/g)];
	const paths = imports.map(([, path = ""]) => normalize(join(dirname(file), path)));
	return paths.some((path) => !seen.has(path) && reaches(path, target, seen));
}

for (const [subject, files] of Object.entries(behaviour)) {
	test(`tests of ${subject} that run on every backend take theirs from the one that is chosen`, () => {
		assert.deepEqual(
			files.filter((file) => !existsSync(file) || !reaches(file, backend)),
			[],
		);
	});
}

test("what leaves out a backend is a part of the behaviour", () => {
	const all = Object.values(behaviour).flat();
	assert.deepEqual(
		[...withoutBus, ...onDisk].filter((file) => !all.includes(file)),
		[],
	);
});

test("what is not run in memory would be on a disk there", () => {
	for (const file of onDisk) {
		const text = readFileSync(file, "utf8");
		const helper = /async function (\w+)\([^]*?durable: true[^]*?^}/m.exec(text)?.[1];
		const tests = [...text.matchAll(/^test\(.*\n(.*)/gm)];
		assert.ok(helper !== undefined && tests.length > 0, file);
		for (const [, first = ""] of tests) assert.ok(first.includes(`${helper}(`), `${file}: ${first}`);
	}
});

test.run();
