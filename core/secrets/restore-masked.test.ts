import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { restoreMaskedValues } from "./restore-masked.ts";

const stored = { url: "https://one", token: "a secret" };
const shown = { url: "https://one", token: secretMask };
const user = { isAdmin: false };
const restore = (given: typeof shown, owner: Parameters<typeof restoreMaskedValues>[3]) =>
	restoreMaskedValues("values", given, { masked: shown, stored }, owner);

test("a user keeps a hidden value only while everything else stays", () => {
	assert.deepEqual(restore(shown, { principal: user }), stored);
	assert.deepEqual(restore({ url: "https://two", token: "another" }, { principal: user }), { url: "https://two", token: "another" });
	for (const refused of [
		() => restore({ url: "https://two", token: secretMask }, { principal: user }),
		() => restore(shown, { principal: user, isDestinationUnchanged: false }),
	])
		assert.throws(refused, (error) => isSvcError(error, "SVC_INVALID") && !error.message.includes("a secret"));
});

test("an administrator and the program itself keep a hidden value beside what they change", () => {
	for (const principal of [{ isAdmin: true }, undefined])
		assert.deepEqual(restore({ url: "https://two", token: secretMask }, { principal, isDestinationUnchanged: false }), {
			...stored,
			url: "https://two",
		});
});

test.run();
