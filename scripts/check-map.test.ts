import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findGone, findUnmapped } from "./check-map.ts";

test("what a page names is there", () => {
	const text = "`core/a.ts` `core/b.ts` `core/<kind>.ts` `npm test` `POST /v1/x` `svc-automation/contract`";
	assert.deepEqual(
		findGone("page.md", text, (path) => path === "core/a.ts"),
		["page.md names core/b.ts, which is not there"],
	);
});

test("every folder has a line in the map", () => {
	const text = "| `core/a`, `core/b` | holds | |\nSee `core/c`.\n";
	assert.deepEqual(findUnmapped(["core/a", "core/b", "core/c"], text), ["CONTRIBUTING.md has no line for the folder core/c"]);
});

test.run();
