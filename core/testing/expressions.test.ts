import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { createTestExpressions } from "./expressions.ts";

const expressions = createTestExpressions({ "system.region": "eu", mine: "own", password: { secret: "clear" } });
const evaluate = (text: string) => expressions.evaluate(text, { variables: { x: 1 } });

test("expressions read the items that a test gives", async () => {
	assert.equal(await evaluate("<% svckv('system.region') %> {{"), "eu {{");
	assert.equal(await evaluate("{{ svckv('mine') }}"), "own");
	assert.equal(await evaluate("<% svckv(password, decrypt => true) %>"), "clear");
	assert.notEqual(await evaluate("<% svckv(password) %>"), "clear");
	assert.equal(await createTestExpressions().evaluate("<% ctx(x) %>", { variables: { x: 1 } }), 1);
});

test("what is not there, or no secret, is an error", async () => {
	for (const text of ["<% svckv(other) %>", "<% svckv('system.mine') %>", "<% svckv(toString) %>", "<% svckv(mine, decrypt => true) %>"]) {
		await assert.rejects(evaluate(text), (error) => isSvcError(error, "SVC_INVALID"), text);
	}
});

test.run();
