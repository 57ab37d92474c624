import * as assert from "node:assert/strict";
import { test } from "uvu";
import { assertAbsent } from "./absent-texts.test-support.ts";

test("each form of each secret is found, also with signs that patterns give a meaning", () => {
	const secrets = new Map([
		["plain", ["secret", "s.e(c)r[e]t"]],
		["signs", ["a|b", "\\\\^$*+?{}/-"]],
	]);
	assertAbsent(secrets, [{ label: "answer", text: "sxe(c)r[e]t a b secre" }]);
	for (const [name, forms] of secrets)
		for (const form of forms) {
			const found = (error: Error) => error.message.startsWith(name) && error.message.includes("in answer");
			assert.throws(() => assertAbsent(secrets, [{ label: "answer", text: `before ${form} after` }]), found);
		}
});

test("an empty form, or none, is refused: it would find nothing", () => {
	assert.throws(() => assertAbsent(new Map(), []), /something to look for/);
	assert.throws(() => assertAbsent(new Map([["empty", [""]]]), []), /something to look for/);
});

test.run();
