import * as assert from "node:assert/strict";
import { test } from "uvu";
import { routes } from "../core/features/routes.ts";
import { toDocument } from "../core/http/openapi/document.ts";
import { type MutableDocument, mutants } from "../core/testing/http/document-mutants.test-support.ts";
import { checkApi, sameTypes } from "./check-api.ts";

const description = toDocument(routes, "0.0.0");

function mutate(change: (document: MutableDocument) => void) {
	const mutant = structuredClone(description);
	change(mutant as unknown as MutableDocument);
	return mutant;
}

test("the description of the API keeps the rules of OpenAPI, and its types are those of the client", async () => {
	assert.deepEqual(await checkApi(), []);
});

test("a description that breaks a rule is found, and so is one that warns", async () => {
	const [problem = ""] = await checkApi(
		mutate(({ components }) => void delete components.schemas["Timer"]),
		{},
	);
	assert.match(problem, /no-unresolved-refs/);
	const [warning = ""] = await checkApi(
		mutate(({ components }) => {
			components.schemas["Lonely"] = { properties: {}, required: [] };
		}),
		{},
	);
	assert.match(warning, /no-unused-components/);
});

for (const { name, mutate: change } of mutants.filter(({ changesTypes }) => changesTypes === true))
	test(`a description with ${name} has other types than the client`, async () => {
		assert.match((await checkApi(mutate(change), sameTypes)).join("\n"), /same\.ts\(/);
	});

test.run();
