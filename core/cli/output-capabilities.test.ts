import * as assert from "node:assert/strict";
import { test } from "uvu";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { toOutputCapabilities } from "./output-capabilities.ts";

test("colours are for terminals; NO_COLOR and a dumb terminal turn them off, FORCE_COLOR decides alone", () => {
	const has = (isTTY: boolean, env: Readonly<Record<string, string>>) =>
		toOutputCapabilities(Object.assign(new CapturedText(), { isTTY }), env).hasColours;
	assert.ok(has(true, {}));
	assert.ok(has(true, { NO_COLOR: "" }));
	for (const plain of [{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }, { FORCE_COLOR: "false" }, { TERM: "dumb" }]) {
		assert.ok(!has(true, plain), JSON.stringify(plain));
	}
	assert.ok(!has(false, {}));
	assert.ok(has(false, { FORCE_COLOR: "1" }));
	assert.ok(has(false, { FORCE_COLOR: "1", NO_COLOR: "1" }));
});

test.run();
