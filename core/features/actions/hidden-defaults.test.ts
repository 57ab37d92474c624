import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { assertHiddenStay } from "./actions.ts";

const old = { pack: "default", runner_type: "noop", entry_point: "", parameters: {}, output_schema: {}, notify: null, description: "" };
const hidden = { parameters: { token: { default: secretMask } } };
const user = { isAdmin: false };

/** Changes an action as a user who gives the mask for a default. */
function change(fields: object, { input = {}, ...owner }: { readonly input?: object; readonly principal?: object | undefined } = {}): void {
	assertHiddenStay({ ...hidden, ...input } as never, { fields: { ...old, ...fields }, old, principal: user, ...owner } as never);
}

test("a user keeps a hidden default only while everything stays that decides where it goes", () => {
	change({ description: "other" });
	for (const fields of [
		{ pack: "mine" },
		{ runner_type: "local-shell-cmd" },
		{ entry_point: "mine.sh" },
		{ notify: {} },
		{ output_schema: { a: 1 } },
	])
		assert.throws(
			() => change(fields),
			(error) => isSvcError(error, "SVC_INVALID") && error.message.includes(Object.keys(fields).join()),
		);
	assert.throws(() => change({}, { input: { data_files: [{}] } }), /data_files/);
});

test("a user who gives all defaults, or may see them, changes what the user likes", () => {
	change({ entry_point: "mine.sh" }, { input: { parameters: { token: { default: "mine" } } } });
	for (const principal of [{ isAdmin: true }, undefined]) change({ entry_point: "mine.sh" }, { principal });
});

test.run();
