import * as assert from "node:assert/strict";
import { test } from "uvu";
import { checkSubject } from "./check-subjects.ts";

test("a subject names the area and has at most 72 characters", () => {
	assert.deepEqual(checkSubject("0123abcd kernel/scheduler: extract round-robin over claim sources"), []);
	assert.deepEqual(checkSubject(""), []);
	assert.deepEqual(checkSubject("0123abcd mend a review"), ['0123abcd mend a review: expected "area: what the commit does"']);
	assert.equal(checkSubject(`0123abcd core: ${"x".repeat(70)}`).length, 1);
});

test.run();
