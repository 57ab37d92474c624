// What escapes must not be loaded yet.
// test-process: own
import * as assert from "node:assert/strict";
import { test } from "uvu";

test("where a machine cannot run the code that escapes, texts are left to others", async () => {
	const all = globalThis as { WebAssembly?: unknown };
	const { WebAssembly: whole } = all;
	all.WebAssembly = { ...(whole as object), Module: class extends Error {}, Instance: undefined };
	try {
		const { escapeAsciiJson } = await import("./json-escape.ts");
		assert.equal(escapeAsciiJson("a".repeat(5_000)), undefined);
		assert.equal(escapeAsciiJson("b".repeat(5_000)), undefined);
	} finally {
		all.WebAssembly = whole;
	}
});

test.run();
