import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "uvu";
import { behaviour, inMemory, onNats, onPostgresInShort, withoutPostgres } from "./behaviour.ts";

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

test("a file is given a backend only where it runs on several, and NATS only with PostgreSQL", () => {
	const all = Object.values(behaviour).flat();
	assert.deepEqual(
		[...withoutPostgres, ...onNats, ...inMemory, ...onPostgresInShort].filter((file) => !all.includes(file)),
		[],
	);
	assert.deepEqual(
		[...onNats, ...onPostgresInShort].filter((file) => withoutPostgres.includes(file)),
		[],
	);
});

test.run();
