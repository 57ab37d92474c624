import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import { toDocument } from "../core/http/openapi/document.ts";
import { type MutableDocument, mutants } from "../core/testing/http/document-mutants.test-support.ts";
import { routes } from "../plugins/_shipped/routes.ts";
import { compareTypes, lint, sameTypes, sameTypesFile } from "./check-api.ts";

const description = toDocument(routes, "0.0.0");

function mutate(change: (document: MutableDocument) => void) {
	const mutant = structuredClone(description);
	change(mutant as unknown as MutableDocument);
	return mutant;
}

// That nothing is wrong with the description as it is belongs to `npm run check`.

test("a warning about a description counts as a problem", async () => {
	const [warning = ""] = await lint(
		mutate(({ components }) => {
			components.schemas["Lonely"] = { properties: {}, required: [] };
		}),
	);
	assert.match(warning, /no-unused-components/);
});

test("a description with a wrong type, a member missing or a member too many required has other types than the client", async () => {
	const changing = mutants.filter(({ changesTypes }) => changesTypes === true);
	// Each changes a schema of its own.
	const problems = await compareTypes(
		mutate((document) => {
			for (const { mutate: change } of changing) change(document);
		}),
		sameTypes,
	);
	const lines = readFileSync(sameTypesFile, "utf8").split("\n");
	const found = [...problems.join("\n").matchAll(/same\.ts\((\d+),/g)].map(
		([, line]) => /const to(\w+)/.exec(lines[Number(line) - 1] ?? "")?.[1],
	);
	assert.deepEqual([...new Set(found)].sort(), ["Policy", "Rule", "TriggerInstance"]);
	assert.equal(changing.length, 3);
});

test.run();
