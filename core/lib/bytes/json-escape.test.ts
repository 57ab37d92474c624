// Other files may have taken all of the memory that the process keeps for texts.
// test-process: own
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { escapeAsciiJson } from "./json-escape.ts";
import { reserveBuffer } from "./wasm-memory.ts";

const all = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

function assertSame(text: string): void {
	assert.equal(`"${escapeAsciiJson(text)?.toString("latin1")}"`, JSON.stringify(text));
}

test("a text is escaped as JSON.stringify does it, whatever characters it has and wherever they stand", () => {
	for (const character of all) {
		for (let place = 0; place < 40; place += 1) {
			assertSame("x".repeat(4_096 + (place % 17) + place) + character + "y".repeat(place));
			assertSame(`${character.repeat(place)}${"z".repeat(4_096)}${character}`);
		}
		assertSame(character.repeat(196_608));
	}
	for (let length = 4_096; length < 4_200; length += 1) assertSame(Array.from({ length }, (_, index) => all[(index * 31) % 128]).join(""));
});

test("lines of output are", () => {
	assertSame(Array.from({ length: 900 }, (_, index) => `line ${index} of "many", C:\\temp\t${"=".repeat(index % 70)}\r\n`).join(""));
});

test("what an earlier text has left does not show", () => {
	assertSame('"'.repeat(90_000));
	assertSame("a".repeat(5_001));
});

test("what is not ASCII, or not of a length that is worth it, is left to others", () => {
	for (const text of ["short", "é".repeat(5_000), `${"a".repeat(5_000)}€`, "\ud800".repeat(5_000), "a".repeat(196_609)]) {
		assert.equal(escapeAsciiJson(text), undefined);
	}
});

test("a text is escaped from where it lies, and nothing around it is looked at or changed", () => {
	const source = reserveBuffer(8_000) as Buffer;
	const text = Buffer.from(all.join("").repeat(40));
	source.fill('"');
	source.set(text, 3);
	const escaped = escapeAsciiJson(source.subarray(3, 3 + text.length))?.toString("latin1");
	assert.equal(escaped, escapeAsciiJson(text)?.toString("latin1"));
	assert.equal([source[2], source[3 + text.length]].join(), "34,34");
});

test.run();
