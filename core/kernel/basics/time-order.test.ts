import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { TriggerInstanceEntity } from "../../contract/index.ts";
import { withTimeOrder } from "./pagination.ts";

test("what is equal in an order goes by time, in the direction of what was asked for last", () => {
	const inTime = (asked: Parameters<typeof withTimeOrder<TriggerInstanceEntity>>[0]) => withTimeOrder(asked, "occurrence_time");
	assert.deepEqual(inTime([["status", "desc"]]), [
		["status", "desc"],
		["occurrence_time", "desc"],
	]);
	assert.deepEqual(
		inTime([
			["trigger", "desc"],
			["status", "asc"],
		]).at(-1),
		["occurrence_time", "asc"],
	);
	for (const field of ["occurrence_time", "id"] as const) assert.deepEqual(inTime([[field, "desc"]]), [[field, "desc"]]);
	assert.deepEqual(inTime([]), [["occurrence_time", "asc"]]);
});

test.run();
