import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type ParameterDefinitions } from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { maskParameterDefaults, restoreParameterDefaults } from "./parameter-default-masking.ts";

const runner: ParameterDefinitions = {
	sudo_password: { type: "string", secret: true },
	env: { type: "object", properties: { TOKEN: { type: "string", secret: true } } },
};
const parameters: ParameterDefinitions = {
	plain: { type: "string", default: "p", enum: ["p", "q"] },
	pin: { type: "string", secret: true, default: "s1", enum: ["s1", "s2"], description: "A pin." },
	empty: { type: "string", secret: true, default: null },
	sudo_password: { default: "s3" },
	env: { default: { TOKEN: "s4", HOME: "/" } },
	whole: { type: "object", secret: true, properties: { a: { default: "s5" } }, default: { a: "s6" } },
	account: {
		type: "object",
		properties: { user: { default: "u" }, password: { type: "string", secret: true, default: "s7" } },
		default: { user: "u", password: "s8" },
	},
	list: { type: "array", items: { properties: { key: { secret: true, default: "s9" } } }, default: [{ key: "s10", id: 1 }, { id: 2 }] },
	any: { anyOf: [{ secret: true, default: "s11" }], additionalProperties: { secret: true, default: "s12" } },
};

test("defaults and allowed values of secrets are masked wherever they stand in a definition, everything else stays", () => {
	const masked = maskParameterDefaults(parameters, runner);
	assert.ok(!/"s\d+"/.test(JSON.stringify(masked)), JSON.stringify(masked));
	assert.deepEqual(masked["plain"], parameters["plain"]);
	assert.deepEqual(masked["pin"], { ...parameters["pin"], default: secretMask, enum: [secretMask, secretMask] });
	assert.deepEqual(masked["empty"], parameters["empty"]);
	assert.deepEqual(masked["env"], { default: { TOKEN: secretMask, HOME: "/" } });
	assert.deepEqual(masked["list"]?.default, [{ key: secretMask, id: 1 }, { id: 2 }]);
	assert.deepEqual(Object.keys(masked), Object.keys(parameters));
});

test("definitions that come back as they were shown keep what is stored", () => {
	const shown = maskParameterDefaults(parameters, runner);
	assert.deepEqual(restoreParameterDefaults(shown, { parameters, runnerParameters: runner }, runner), parameters);
	const changed = {
		...shown,
		plain: { type: "integer" },
		pin: { ...shown["pin"], default: "new", description: "Another." },
	} as ParameterDefinitions;
	const restored = restoreParameterDefaults(changed, { parameters, runnerParameters: runner }, runner);
	assert.deepEqual(restored["pin"], { ...parameters["pin"], default: "new", description: "Another." });
	assert.deepEqual(restored["account"], parameters["account"]);
});

test("a mask that stands for nothing stored is refused and named", () => {
	const stored = { parameters, runnerParameters: runner };
	const cases: [ParameterDefinitions, typeof stored | undefined, RegExp][] = [
		[{ pin: { secret: true, default: secretMask } }, undefined, /^parameters\.pin\.default: .*no value is stored/],
		[{ sudo_password: { default: secretMask } }, undefined, /^parameters\.sudo_password\.default/],
		[{ env: { default: { TOKEN: secretMask } } }, undefined, /^parameters\.env\.default\.TOKEN/],
		[{ a: { properties: { b: { secret: true, default: secretMask } } } }, undefined, /^parameters\.a\.properties\.b\.default/],
		[{ other: { secret: true, default: secretMask } }, stored, /^parameters\.other\.default/],
		[{ list: { ...parameters["list"], default: [{ id: 1 }, { key: secretMask }] } }, stored, /^parameters\.list\.default\.1\.key/],
	];
	for (const [given, from, message] of cases) assertRefused(() => restoreParameterDefaults(given, from, runner), message);
});

test("a mask cannot be sent back to where the secret would be shown", () => {
	const stored = { parameters, runnerParameters: runner };
	assertRefused(
		() => restoreParameterDefaults({ pin: { type: "string", default: secretMask } }, stored, runner),
		/^parameters\.pin\.default: .*would no longer be secret/,
	);
	assertRefused(
		() => restoreParameterDefaults({ sudo_password: { default: secretMask } }, stored, {}),
		/^parameters\.sudo_password\.default/,
	);
	const open = { properties: { password: {} }, default: { password: secretMask } };
	assertRefused(() => restoreParameterDefaults({ account: open }, stored, runner), /^parameters\.account\.default\.password/);
});

test("eight asterisks are an ordinary text where nothing is secret", () => {
	const given: ParameterDefinitions = { plain: { type: "string", default: secretMask } };
	assert.deepEqual(restoreParameterDefaults(given, undefined, runner), given);
});

function assertRefused(action: () => unknown, message: RegExp): void {
	assert.throws(action, (error: unknown) => isSvcError(error, "SVC_INVALID") && message.test(error.message));
}

test.run();
