import * as assert from "node:assert/strict";
import { test } from "uvu";
import { readAliasCommand } from "./alias-cases.ts";

const alias = {
	name: "sweep",
	action_ref: "disk.sweep",
	formats: [{ display: "", representation: ["/(?<volume>\\w+)"], match_multiple: true }, "sweep {{ volume }}"],
};

test("a command is read by an alias alone", () => {
	assert.deepEqual(readAliasCommand(alias, "sweep /data depth=3"), {
		action: "disk.sweep",
		representation: "sweep {{ volume }}",
		parameters: [{ volume: "/data", depth: "3" }],
	});
	assert.deepEqual(readAliasCommand(alias, "look at /data and /home").parameters, [{ volume: "data" }, { volume: "home" }]);
	assert.throws(() => readAliasCommand(alias, "mop"), /does not match action alias "sweep"/);
});

test.run();
