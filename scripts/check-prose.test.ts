import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findLongSentences, findRefused, toParagraphs, toStrings } from "./check-prose.ts";

test("paragraphs of a page are read without code blocks, inline code and addresses", () => {
	const page = "# Title\n\nA line\nand `somebody` [more](whoever.md).\n\n```sh\necho nobody\n```\n\n- one item\n- another\n";
	assert.deepEqual(
		toParagraphs("page.md", page).map(({ line, text }) => [line, text]),
		[
			[1, "# Title"],
			[3, "A line and `…` [more]."],
			[10, "- one item"],
			[11, "- another"],
		],
	);
});

test("sentences in strings, templates and elements of a source file are read with their line", () => {
	const source =
		'// nobody\nconst a = "the value is no number";\nconst b = `file ${a} is not to be found`;\nconst c = `"${a}" is no backup`;\nconst d = "so short";\n';
	assert.deepEqual(
		toStrings("file.ts", source).map(({ line, text }) => [line, text]),
		[
			[2, "the value is no number"],
			[3, "file … is not to be found"],
			[4, '"…" is no backup'],
		],
	);
	assert.deepEqual(
		toStrings("page.tsx", "const page = <p>Here is a text to read.</p>;\n").map(({ text }) => text),
		["Here is a text to read."],
	);
});

test("a refused word is reported with its line and with advice", () => {
	const find = (text: string) => findRefused({ path: "page.md", line: 7, text });
	assert.deepEqual(find("Whoever asks gets it."), ['page.md:7 "Whoever": name the person or the thing']);
	assert.deepEqual(find("The value is no number."), ['page.md:7 "is no number": write "is not a"']);
	assert.deepEqual(find("A list of what is new."), ['page.md:7 "of what is": use a noun in place of the clause']);
	for (const text of ["The lease is no longer held.", "What is a runner?", "The runner resolves with the result."])
		assert.deepEqual(find(text), [], text);
});

test("sentences of more than 30 words are found", () => {
	const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
	assert.deepEqual(findLongSentences({ path: "page.md", line: 1, text: `${words(30)}. ${words(20)}.` }), []);
	assert.equal(findLongSentences({ path: "page.md", line: 1, text: `${words(31)}.` }).length, 1);
});

test.run();
