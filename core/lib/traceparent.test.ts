import * as assert from "node:assert/strict";
import { test } from "uvu";
import { formatTraceparent, normalizeTraceparent, parseTraceparent } from "./traceparent.ts";

const ids = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";

test("a traceparent says trace, span and whether it is recorded, and is sent on as it came", () => {
	for (const [flags, isSampled] of [
		["01", true],
		["00", false],
		["03", true],
	] as const) {
		const parent = parseTraceparent(`00-${ids}-${flags}`);
		assert.equal(parent?.isSampled, isSampled);
		assert.equal(parent && formatTraceparent(parent), `00-${ids}-${isSampled ? "01" : "00"}`);
	}
	assert.equal(normalizeTraceparent(`cc-${ids}-01-what comes later`), `00-${ids}-01`, "of a version to come");
});

test("what is none is ignored", () => {
	const zeros = ["00000000000000000000000000000000-00f067aa0ba902b7", "4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000"];
	const wrong = [
		"",
		"00",
		ids,
		`ff-${ids}-01`,
		`00-${ids}-01-more`,
		`00-${ids.toUpperCase()}-01`,
		`00-${ids}-1`,
		`00-${ids}-01\n`,
		`x00-${ids}-01`,
	];
	for (const text of [...wrong, ...zeros.map((zero) => `00-${zero}-01`), `cc-${ids}-01-${"a".repeat(300)}`, null, undefined]) {
		assert.equal(parseTraceparent(text), undefined, String(text));
		assert.equal(normalizeTraceparent(text), null);
	}
});

test.run();
