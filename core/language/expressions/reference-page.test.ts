import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "uvu";
import { type JsonObject, parseJson } from "../../contract/index.ts";
import { functionTable } from "../yaql/functions/function-table.ts";
import { createExpressions } from "./expressions.ts";
import { filterFunctions } from "./filter-functions.ts";

const page = await readFile(new URL("../../../docs/reference/expressions.md", import.meta.url), "utf8");
const blocks = (language: string) =>
	[...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map(([, block]) => block ?? "");
const { ctx, result } = JSON.parse(blocks("json")[0] ?? "{}") as { readonly ctx: JsonObject; readonly result: JsonObject };
const examples = blocks("text").flatMap((block) =>
	block
		.split("\n")
		.filter((line) => line.includes(" → "))
		.map((line) => ({ text: line.slice(0, line.lastIndexOf(" → ")), expected: line.slice(line.lastIndexOf(" → ") + " → ".length) })),
);

const items: Readonly<Record<string, string>> = { "system:region": "eu", "user:password": "cipher text" };
const expressions = createExpressions({
	datastore: { lookup: async (scope, name) => items[`${scope}:${name}`], decrypt: async () => "clear" },
});

test("every example of the page gives what the page says", async () => {
	assert.ok(examples.length > 100);
	for (const { text, expected } of examples) {
		const evaluation = expressions.evaluate(text, { variables: ctx, functions: { result: () => result } });
		if (!expected.startsWith("error ")) assert.deepEqual(await evaluation, parseJson(expected), text);
		else await assert.rejects(evaluation, (error: Error) => error.message.endsWith(expected.slice("error ".length)), text);
	}
});

test("every function has an example, and its name in a table", () => {
	const texts = examples.map(({ text }) => text).join("\n");
	const rows = page
		.split("\n")
		.filter((line) => line.startsWith("| "))
		.join("\n");
	for (const name of [...functionTable.keys(), ...filterFunctions.keys(), "ctx", "svckv", "json", "zip"]) {
		const member = name.replace(/^#property#/, "");
		const use = member === name ? new RegExp(`\\b${name}\\b(?:\\(| \\}\\})`) : new RegExp(`\\.${member}\\b`);
		assert.match(texts, use, name);
		if (!["let", "with", "unpack"].includes(name)) assert.match(rows, new RegExp(`\\b${member}\\b`), name);
	}
});

test.run();
