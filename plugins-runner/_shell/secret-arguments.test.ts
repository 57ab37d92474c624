import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ParameterDefinitions } from "../../core/contract/index.ts";
import { separateSecretArguments } from "./secret-arguments.ts";

const secret = { type: "string", secret: true } as const;

test("secrets become variables and everything else stays", () => {
	const schema: ParameterDefinitions = { plain: { type: "string" }, password: secret, "api-key": { ...secret, position: 0 } };
	assert.deepEqual(separateSecretArguments({ plain: "a", password: "p w", "api-key": "k", other: 1 }, schema), {
		values: { plain: "a", password: null, "api-key": null, other: 1 },
		environment: { SVC_ARG_PASSWORD: "p w", SVC_ARG_API_KEY: "k" },
	});
});

test("a variable has the text that the argument would have had", () => {
	const text = (value: Parameters<typeof separateSecretArguments>[0][string], definition: object) =>
		separateSecretArguments({ it: value }, { it: { secret: true, ...definition } }).environment["SVC_ARG_IT"];
	assert.equal(text(2, { type: "number" }), "2.0");
	assert.equal(text(["a", "b"], { type: "array" }), "['a', 'b']");
	assert.equal(text(["a", "b"], { type: "array", position: 0 }), "a,b");
	assert.equal(text(true, { type: "boolean" }), "True");
	assert.equal(text(true, { type: "boolean", position: 0 }), "1");
	for (const unset of [null, false, ""]) assert.equal(text(unset, {}), undefined);
	assert.equal(text(null, { type: "string", position: 0 }), "");
});

test("a secret somewhere inside makes the whole a secret, a default that looks like one does not", () => {
	const inside: ParameterDefinitions = { options: { type: "object", properties: { pin: { type: "string", secret: true } } } };
	assert.equal(separateSecretArguments({ options: { pin: "1" } }, inside).values["options"], null);
	const looks: ParameterDefinitions = { options: { type: "object", default: { secret: true } } };
	assert.deepEqual(separateSecretArguments({ options: { a: 1 } }, looks).values["options"], { a: 1 });
});

test("two secrets with one variable are refused by name", () => {
	assert.throws(() => separateSecretArguments({ "a-b": "1", a_b: "2" }, { "a-b": secret, a_b: secret }), /"a_b".*SVC_ARG_A_B/);
});

test.run();
