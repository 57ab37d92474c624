import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ActionSnapshotEntity, JsonObject } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { findSecretOutputTypes, maskExecutionResult } from "./result-masking.ts";

function toSnapshot(output_schema: JsonObject, output_key: string | null): Pick<ActionSnapshotEntity, "action" | "runner"> {
	return { action: { output_schema }, runner: { name: "some", output_key } } as ActionSnapshotEntity;
}

const maskResult = (result: JsonObject, schema: JsonObject, key: string | null = null) =>
	maskExecutionResult(result, toSnapshot(schema, key));
const outputOf = (schema: JsonObject, key: string | null = null) => findSecretOutputTypes(toSnapshot(schema, key));

const token = { type: "object", properties: { token: { type: "string", secret: true }, id: { type: "integer" } } };
const printed = (stdout: string) => ({ failed: false, succeeded: true, return_code: 0, stdout, stderr: "warning" });

test("results are masked under the output key, by every kind of schema", () => {
	const schema = {
		type: "object",
		properties: {
			a: { secret: true },
			rows: { type: "array", items: [{ type: "string" }, { secret: true }], additionalItems: { secret: true } },
		},
		patternProperties: { "^x_": { secret: true } },
		additionalProperties: { type: "object", properties: { deep: { secret: true } } },
	};
	assert.deepEqual(maskResult({ body: { a: 1, rows: ["r", "s", "t"], x_1: 2, y: { deep: 3, z: 4 } }, status: 200 }, schema, "body"), {
		body: { a: secretMask, rows: ["r", secretMask, secretMask], x_1: secretMask, y: { deep: secretMask, z: 4 } },
		status: 200,
	});
});

test("an output schema of the old form names the members directly", () => {
	assert.deepEqual(maskResult({ result: { a: 1, type: 2 } }, { a: { type: "string", secret: true }, type: { type: "string" } }, "result"), {
		result: { a: secretMask, type: 2 },
	});
});

test("results stay as they are without schema, member or fitting type", () => {
	const result = { body: "text" };
	assert.equal(maskResult(result, token, "body"), result);
	assert.equal(maskResult(result, {}, "body"), result);
	assert.equal(maskResult(result, { secret: true }, "other"), result);
	assert.deepEqual(maskResult(result, { secret: true }, "body"), { body: secretMask });
	// What was asked for, not yet parsed.
	assert.deepEqual(maskResult({ body: ' {"token": "t", "id": 1}' }, token, "body"), { body: `{"token":"${secretMask}","id":1}` });
});

test("of what a command has printed the schema describes standard output, JSON or text", () => {
	assert.deepEqual(maskResult(printed('{"token": "t", "id": 1}'), token), printed(`{"token":"${secretMask}","id":1}`));
	assert.deepEqual(maskResult(printed('{"token": "a", "token": "b"}'), token), printed(`{"token":"${secretMask}"}`));
	assert.deepEqual(maskResult(printed("the word"), { type: "string", secret: true }), printed(secretMask));
	const open = printed('{ "id": 1 }');
	assert.equal(maskResult(open, token), open);
	const none = printed("");
	assert.equal(maskResult(none, token), none);
	const plain = printed("anything");
	assert.equal(maskResult(plain, { type: "object", properties: { token: { type: "string" } } }), plain);
});

test("standard output that cannot be read is masked whole", () => {
	for (const stdout of [
		'{"token": "t"',
		'log line\n{"token": "t"}',
		'"t"',
		"4711",
		'[{"token": "t"}]',
		`{"token": "${"x".repeat(70_000)}"}`,
	]) {
		assert.deepEqual(maskResult(printed(stdout), token), printed(secretMask), stdout.slice(0, 30));
	}
});

test("a schema may have stdout and stderr as members", () => {
	const schema = { stdout: { type: "string" }, stderr: { type: "string", secret: true }, return_code: { secret: true } };
	assert.deepEqual(maskResult(printed("open"), schema), { ...printed("open"), stderr: secretMask, return_code: secretMask });
	assert.deepEqual(maskResult(printed('{"token": "t"}'), { stdout: token }), printed(`{"token":"${secretMask}"}`));
});

test("results of several hosts are masked in each, and others without a key as a whole", () => {
	const hosts = { "a.example": printed('{"token": "t"}'), "b.example": printed("what") };
	assert.deepEqual(maskResult(hosts, token), { "a.example": printed(`{"token":"${secretMask}"}`), "b.example": printed(secretMask) });
	assert.deepEqual(maskResult({ token: "t", id: 1 }, token), { token: secretMask, id: 1 });
	assert.deepEqual(maskResult({ error: "cannot start" }, token), { error: "cannot start" });
	assert.deepEqual(maskResult({ a: 1, b: 2 }, { secret: true }), { a: secretMask, b: secretMask });
});

test("output is secret where the schema finds secrets in what is printed", () => {
	assert.deepEqual(outputOf(token), ["stdout", "other"]);
	assert.deepEqual(outputOf({ stdout: { type: "string" }, stderr: { secret: true } }), ["stderr", "other"]);
	assert.deepEqual(outputOf({ stdout: { type: "string" } }), []);
	assert.deepEqual(outputOf({}), []);
	assert.deepEqual(outputOf(token, "body"), []);
});

test.run();
