import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, JsonValue, OutputType } from "../../contract/index.ts";
import { toShownResult } from "./run-commands.ts";

const shell = { succeeded: true, failed: false, return_code: 0 };
const python = { exit_code: 0, stdout: "", stderr: "", engine: "python 3.11" };

const cases: readonly (readonly [string, JsonObject, readonly OutputType[], JsonValue | undefined])[] = [
	["output that was streamed", { ...shell, stdout: "out", stderr: "" }, ["stdout"], undefined],
	["output that was streamed as text and became data", { ...shell, stdout: { a: 1 }, stderr: "" }, ["stdout"], undefined],
	["output of a service that streams none", { ...shell, stdout: "out", stderr: "" }, [], { stdout: "out" }],
	["an answer", { status_code: 200, body: "" }, [], { status_code: 200, body: "" }],
	["what Python returned", { ...python, result: { failed: 2 } }, [], { failed: 2 }],
	["what Python returned beside its output", { ...python, stdout: "x", result: [1] }, ["stdout"], [1]],
	["nothing that Python returned", { ...python, result: null }, [], undefined],
	["a failure", { ...python, exit_code: 1, result: "None", error: "it broke" }, [], undefined],
	["counts that are called as flags are", { failed: 2, succeeded: 3 }, [], { failed: 2, succeeded: 3 }],
	["hosts whose output was streamed", { web1: { ...shell, stdout: "a", stderr: "" } }, ["other"], undefined],
	["a host that could not be reached", { web1: { ...shell, stdout: "", error: "no route" } }, ["other"], { web1: { error: "no route" } }],
	["no result", {}, [], undefined],
];

for (const [name, result, streamed, shown] of cases) {
	test(`of a result is shown what has not been seen: ${name}`, () => {
		assert.deepEqual(toShownResult(result, new Set(streamed)), shown);
	});
}

test.run();
