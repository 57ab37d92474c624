import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toLinkPieces } from "./find-links.ts";

const linksOf = (text: string) => toLinkPieces(text).flatMap(({ href }) => href ?? []);

test("addresses of http and https are links, without the punctuation around them", () => {
	const found: Readonly<Record<string, readonly string[]>> = {
		"see https://example.org/a?b=c&d=%20#e.": ["https://example.org/a?b=c&d=%20#e"],
		"(https://example.org/x_(y)), <http://a.b/>; HTTP://A.B:8080!": ["https://example.org/x_(y)", "http://a.b/", "HTTP://A.B:8080"],
		"url=\"https://a.b/c\" 'https://d.e' [f](https://g.h)": ["https://a.b/c", "https://d.e", "https://g.h"],
		"https://[::1]:9101/v1 and https://[::1]": ["https://[::1]:9101/v1", "https://[::1]"],
		"https://a.b/\\u202etxt": ["https://a.b/"],
		"https://a.b/c...": ["https://a.b/c"],
	};
	for (const [text, links] of Object.entries(found)) assert.deepEqual(linksOf(text), links, text);
});

test("nothing else is a link", () => {
	for (const text of [
		"javascript:alert(1)",
		"javascript://a.b/%0aalert(1)",
		"file:///etc/passwd",
		"data://a",
		"https://",
		"https://?",
		"xhttps://a.b",
		"//a.b",
		"ftp://a.b",
	])
		assert.deepEqual(linksOf(text), [], text);
});

test("the pieces are the text, also of a line that is nothing but addresses, which is cut into few pieces quickly", () => {
	const texts = [
		"a http://b.c d",
		"http://b.c",
		"",
		"http://a.b ".repeat(400),
		`http://${")".repeat(4_000)}`,
		"http://a".repeat(500),
		"://".repeat(1_300),
	];
	const started = performance.now();
	for (const text of texts) {
		const pieces = toLinkPieces(text);
		assert.equal(pieces.map((piece) => piece.text).join(""), text);
		assert.ok(pieces.length <= 42);
	}
	assert.ok(performance.now() - started < 500);
});

test.run();
