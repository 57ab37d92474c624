import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findChangedPlans } from "./plans.ts";

test("requests whose plans or numbers of statements differ are listed", () => {
	const base = new Map([
		["kept", ["1 × SEARCH executions USING INDEX a"]],
		["other index", ["1 × SEARCH executions USING INDEX a", "2 × SEARCH traces USING INDEX t"]],
		["more statements", ["1 × SCAN traces"]],
	]);
	const candidate = new Map([
		["kept", ["1 × SEARCH executions USING INDEX a"]],
		["other index", ["1 × SCAN executions", "2 × SEARCH traces USING INDEX t"]],
		["more statements", ["3 × SCAN traces"]],
	]);
	assert.deepEqual(findChangedPlans(base, candidate), [
		"other index:",
		"  - 1 × SEARCH executions USING INDEX a",
		"  + 1 × SCAN executions",
		"more statements:",
		"  - 1 × SCAN traces",
		"  + 3 × SCAN traces",
	]);
	assert.deepEqual(findChangedPlans(base, base), []);
});

test.run();
