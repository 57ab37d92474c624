import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toFindingText } from "../../core/features/workflows/format-findings.ts";
import { createTestExpressions } from "../../core/testing/expressions.ts";
import { runDefinitionCases } from "./cases/run-definition-cases.ts";
import { inspectDefinition } from "./definition/inspect-definition.ts";
import { findPageAction, readPages } from "./pages.test-support.ts";

const tools = { expressions: createTestExpressions(), findAction: findPageAction };
const pages = readPages();

test("the pages about workflows show some", () => {
	for (const page of ["docs/guides/write-a-workflow.md", "docs/reference/workflows.md", "docs/guides/approvals.md"])
		assert.ok(
			(pages.get(page) ?? []).some(({ cases }) => cases !== undefined),
			page,
		);
});

for (const [page, examples] of pages) {
	test(`definitions of ${page} have no findings but those that it names`, async () => {
		for (const { name, definition, findings } of examples) {
			const [subject = ""] = findings.split(":");
			assert.equal(toFindingText(subject, await inspectDefinition(definition, tools)), findings, name);
		}
	});

	test(`definitions of ${page} come to the ends that it gives`, async () => {
		for (const { name, definition, cases } of examples) {
			if (cases === undefined) continue;
			for (const result of await runDefinitionCases(definition, cases, tools))
				assert.deepEqual(result.problems, [], `${name} ${result.name}`);
		}
	});
}

test.run();
