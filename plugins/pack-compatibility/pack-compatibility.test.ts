import * as assert from "node:assert/strict";
import { test } from "uvu";
import { Dialects } from "../../core/language/dialects.ts";
import { packCompatibility } from "./index.ts";

const dialects = new Dialects([packCompatibility().create()]);

test("an action says its runner type and positions as the platform's packs do", () => {
	const given = {
		name: "greet",
		runner_type: "orquesta",
		parameters: { last: { position: 7 }, first: { type: "string", position: 1 }, named: { type: "string" }, second: { position: 2 } },
	};
	assert.deepEqual(dialects.translate("action", given), {
		name: "greet",
		runner_type: "workflow",
		parameters: { last: { position: 2 }, first: { type: "string", position: 0 }, named: { type: "string" }, second: { position: 1 } },
	});
	assert.equal(given.parameters.last.position, 7);
});

test("positions that have no order are left to be refused", () => {
	for (const positions of [
		[1, 1],
		[1, -2],
		[1, "2"],
		[1.5, 2],
	]) {
		const parameters = Object.fromEntries(positions.map((position, index) => [`p${index}`, { position }]));
		assert.deepEqual(dialects.translate("action", { parameters })["parameters"], parameters);
	}
});

test("words of older YAML are flags where a flag stands, and texts elsewhere", () => {
	const parameters = {
		on: { type: "boolean", default: "off", required: "yes" },
		word: { type: "string", default: "no", secret: "On", description: "yes" },
		strange: "yes",
	};
	const translated = dialects.translate("action", { enabled: "no", description: "no", parameters });
	assert.deepEqual(translated, {
		enabled: false,
		description: "no",
		parameters: {
			on: { type: "boolean", default: false, required: true },
			word: { type: "string", default: "no", secret: true, description: "yes" },
			strange: "yes",
		},
	});
	assert.deepEqual(dialects.translate("rule", { enabled: "off", criteria: { enabled: "off" } }), {
		enabled: false,
		criteria: { enabled: "off" },
	});
});

test("references in the description of a configuration are what they refer to, with what stands beside them", () => {
	const credentials = { type: "object", properties: { username: { type: "string" }, password: { type: "string", secret: true } } };
	const schema = {
		credentials,
		devices: { type: "object", patternProperties: { "^\\w+$": { $ref: "#/properties/credentials", required: "yes" } } },
		names: { type: "array", items: { $ref: "#/properties/credentials/properties/username" } },
	};
	assert.deepEqual(dialects.translate("config_schema", schema), {
		credentials,
		devices: { type: "object", patternProperties: { "^\\w+$": { ...credentials, required: true } } },
		names: { type: "array", items: { type: "string" } },
	});
});

test("references that lead nowhere, out of the file, to themselves or to ever more are refused", () => {
	const refused = (schema: Parameters<Dialects["translate"]>[1], message: RegExp) =>
		assert.throws(() => dialects.translate("config_schema", schema), { code: "SVC_INVALID", message });
	for (const $ref of [
		"#/properties/none",
		"#/properties/a/default/length",
		"#/properties/constructor",
		"other.yaml#/properties/a",
		"#",
		"",
	]) {
		refused({ a: { default: "text" }, b: { $ref } }, /has no target; it must have a form such as/);
	}
	refused({ a: { properties: { b: { $ref: "#/properties/a" } } } }, /"#\/properties\/a" refers to itself/);
	refused({ a: { $ref: "#/properties/b" }, b: { $ref: "#/properties/a" } }, /refers to itself/);
	const doubled = Object.fromEntries(
		Array.from({ length: 40 }, (_, index) => {
			const next = { $ref: `#/properties/p${index + 1}` };
			return [`p${index}`, { properties: index === 39 ? {} : { a: next, b: next } }];
		}),
	);
	refused(doubled, /larger than 20000 values, or deeper than 50/);
});

test("rules name the platform's triggers, and nothing else is changed", () => {
	const rule = { trigger: { type: "core.st2.generic.actiontrigger" }, criteria: { "trigger.type": { pattern: "core.st2.webhook" } } };
	assert.deepEqual(dialects.translate("rule", rule), { ...rule, trigger: { type: "core.svc.generic.actiontrigger" } });
	assert.deepEqual(dialects.translate("rule", { trigger: { type: "core.st2.mine" } }), { trigger: { type: "core.st2.mine" } });
});

test("old notes on payloads in files of sensors are left out", () => {
	const types = [{ name: "mail", payload_info: ["from"], payload_schema: { type: "object" } }, "strange"];
	assert.deepEqual(dialects.translate("sensor", { class_name: "Mail", trigger_types: types }), {
		class_name: "Mail",
		trigger_types: [{ name: "mail", payload_schema: { type: "object" } }, "strange"],
	});
	assert.deepEqual(dialects.translate("sensor", { trigger_types: 7 }), { trigger_types: 7 });
});

test("without Python there is no directory of modules", () => {
	assert.equal(packCompatibility({ python: false }).create().pythonPath, undefined);
	assert.match(dialects.pythonPaths[0] ?? "", /pack-compatibility\/python$/);
});

test.run();
