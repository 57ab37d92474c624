import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findLiteralTexts, findUnusedTexts } from "./check-web-texts.ts";

const find = (text: string) =>
	findLiteralTexts("a.tsx", text).map((problem) => /^a\.tsx:(\d+) shows "(.*)": the texts/.exec(problem)?.slice(1));

test("a text of two words between the tags of an element is found, with its line", () => {
	assert.deepEqual(find("// ü\n\nexport const a = (\n\t<p>\n\t\tNothing\n\t\tyet\n\t</p>\n);"), [["4", "Nothing yet"]]);
	assert.deepEqual(find('const a = <p>{isEmpty ? "Nothing yet" : `${count} more`}</p>;'), [
		["1", "Nothing yet"],
		["1", "… more"],
	]);
	assert.deepEqual(find('const a = <p>{isEmpty && "Nothing yet"} <b>{text ?? "not known"}</b></p>;'), [
		["1", "Nothing yet"],
		["1", "not known"],
	]);
});

test("a text of two words is found in attributes and members that are shown, and in messages", () => {
	for (const code of [
		'<Tabs label="Views of this" />',
		'<input aria-label="Find it" />',
		'<input placeholder={isAny ? "any name" : other} />',
		'[{ title: "Last used" }]',
		"[{ hint: `a ${name}` }]",
		'notices.say("It is saved")',
		'attempt(save, "It is saved")',
		'new Error("not a number")',
	])
		assert.equal(find(`const a = ${code};`).length, 1, code);
});

test("names, values, classes and single words are no texts", () => {
	for (const code of [
		"<p>{texts.none}</p>",
		"<p>{count}</p>",
		"<b>…</b>",
		'<p class="bad-text reason">{row.class === "a b" ? first : second}</p>',
		"<p key={`${row.kind} row`}>{toLink(`/rules/${row.ref}`)}</p>",
		'[{ title: "Rule", class: "wide mono", query: "sort by name" }]',
	])
		assert.deepEqual(find(`const a = ${code};`), [], code);
});

test("a text that nothing uses is found, under whatever name a source imports the catalogue", () => {
	const catalogue = {
		file: "plugins/feature-web-ui/web/texts/rules.ts",
		text: 'export const title = "Rules";\nexport const none = "No rules";\n',
	};
	const page = { file: "a.tsx", text: 'import * as words from "../texts/rules.ts";\nconst a = words.title;\n' };
	assert.deepEqual(findUnusedTexts(catalogue, [page]), [`${catalogue.file}: nothing uses "none"`]);
	assert.equal(findUnusedTexts(catalogue, []).length, 2);
});

test.run();
