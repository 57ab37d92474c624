import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, ParameterDefinitions } from "../../contract/index.ts";
import { maskExecutionParameters } from "../../secrets/parameter-masking.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";

const parameters: ParameterDefinitions = {
	pin: { type: "string", secret: true },
	account: { type: "object", properties: { user: { type: "string" }, password: { type: "string", secret: true } } },
	header: { type: "string", default: "Authorization: {{ pin }}" },
	greeting: { type: "string", default: "hello {{ account.user }}" },
};
const given = { pin: "first-pin", account: { user: "maria", password: "pass-word" } };

/** Run the action with `given`, then again with what `change` makes of the parameters as they were shown. */
async function runAgain(
	change: (shown: JsonObject) => JsonObject,
	noMerge = false,
	first: JsonObject = given,
): Promise<{ readonly stored: JsonObject; readonly shown: JsonObject }> {
	const { engine, stop } = await startEngine();
	try {
		await engine.actions.create({ name: "call", runner_type: "scripted", parameters: parameters as unknown as JsonObject });
		const { entity, snapshot } = await engine.executions.submit({ action: "default.call", parameters: first }, principal);
		const again = await engine.executions.rerun(
			entity.id,
			{ parameters: change(maskExecutionParameters(entity.parameters, snapshot)), noMerge },
			principal,
		);
		return { stored: again.entity.parameters, shown: maskExecutionParameters(again.entity.parameters, again.snapshot) };
	} finally {
		await stop();
	}
}

test("parameters that come back as they were shown are the old ones, nested and derived ones included", async () => {
	const { stored, shown } = await runAgain((old) => old);
	assert.deepEqual(stored, { ...given, header: "Authorization: first-pin", greeting: "hello maria" });
	assert.equal(shown["header"], "Authorization: ********");
	assert.deepEqual((await runAgain((old) => old, true)).stored, stored);
});

test("a masked member keeps its old value beside one that is changed", async () => {
	const { stored } = await runAgain(() => ({ account: { user: "anna", password: "********" } }));
	assert.deepEqual(stored["account"], { user: "anna", password: "pass-word" });
	assert.equal(stored["greeting"], "hello anna");
});

test("text of the first run is no template beside a member that is changed", async () => {
	const braces = "{{ 7 * 7 }}";
	const { stored } = await runAgain(() => ({ account: { user: "anna", password: "********" } }), false, {
		...given,
		account: { user: "maria", password: "{{ '{{ 7 * 7 }}' }}" },
	});
	assert.deepEqual(stored["account"], { user: "anna", password: braces });
});

test("a secret that is replaced does not live on in what its template made", async () => {
	const { stored, shown } = await runAgain((old) => ({ ...old, pin: "second-pin" }));
	assert.equal(stored["header"], "Authorization: second-pin");
	assert.ok(!/first-pin|second-pin/.test(JSON.stringify(shown)));
});

test("a value that is given wins over the template", async () => {
	const { stored } = await runAgain(() => ({ pin: "second-pin", greeting: "hello maria" }));
	assert.equal(stored["greeting"], "hello maria");
	assert.equal((await runAgain(() => ({ header: "none" }))).stored["header"], "none");
});

test.run();
