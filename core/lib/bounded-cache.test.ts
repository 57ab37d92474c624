import * as assert from "node:assert/strict";
import { test } from "uvu";
import { addToCache } from "./bounded-cache.ts";

test("a full cache gives up its oldest entry for a new one, and none for a known one", () => {
	const cache = new Map<string, number>();
	for (const key of ["a", "b", "c"]) addToCache(cache, key, 1, 2);
	assert.deepEqual([...cache.keys()], ["b", "c"]);
	addToCache(cache, "c", 2, 2);
	assert.deepEqual(
		[...cache],
		[
			["b", 1],
			["c", 2],
		],
	);
});

test.run();
