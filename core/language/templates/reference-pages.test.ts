import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "uvu";
import type { JsonObject } from "../../contract/index.ts";
import { emptyDatastore } from "./datastore.ts";
import { filterTable } from "./filters/filter-table.ts";
import { toScope } from "./scope.ts";
import { compileTemplate } from "./template.ts";
import { valueTests } from "./value-tests.ts";

/** The values and the `template → result` lines of a reference page. */
async function readPage(name: string) {
	const page = await readFile(new URL(`../../../docs/reference/${name}`, import.meta.url), "utf8");
	const blocks = (language: string) =>
		[...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map(([, block]) => block ?? "");
	const lines = blocks("text").flatMap((block) => block.split("\n").filter((line) => line.includes(" →")));
	const examples = lines.map((line) => {
		const arrow = line.indexOf(" →");
		return { template: line.slice(0, arrow), result: line.slice(arrow + " → ".length) };
	});
	return { values: JSON.parse(blocks("json")[0] ?? "{}") as JsonObject, examples };
}

for (const page of ["filters.md", "templates.md"]) {
	test(`every example of ${page} gives what the page says`, async () => {
		const { values, examples } = await readPage(page);
		const scope = toScope(values, emptyDatastore);
		assert.ok(examples.length > 10);
		for (const { template, result } of examples) {
			const render = () => compileTemplate(template).render(scope);
			if (!result.startsWith("error")) assert.equal(render(), result, template);
			else {
				const expected = result.replace(/^error:? ?/, "");
				assert.throws(render, (error: Error) => error.message.includes(expected), template);
			}
		}
	});
}

test("every filter and test has an example", async () => {
	const { examples } = await readPage("filters.md");
	const templates = examples.map(({ template }) => template).join("\n");
	for (const filter of ["default", "d", ...filterTable.keys()]) assert.match(templates, new RegExp(`\\| ${filter}\\b`), filter);
	for (const name of valueTests.keys()) {
		if (/^[a-z]+$/.test(name) && !["equalto", "lessthan", "greaterthan"].includes(name)) {
			assert.match(templates, new RegExp(`is (?:not )?${name}\\b`), name);
		}
	}
});

test.run();
