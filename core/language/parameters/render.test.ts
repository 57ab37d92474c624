import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject, type JsonValue, type ParameterDefinition, type ParameterDefinitions } from "../../contract/index.ts";
import { type Datastore, emptyDatastore } from "../templates/datastore.ts";
import { isTemplateProblem } from "./parameter-errors.ts";
import { renderFinal, renderLive } from "./render.ts";

const runnerSchema = {
	cmd: { type: "string" },
	env: { type: "object" },
	sudo: { type: "boolean", default: false },
	password: { type: "string", secret: true },
	timeout: { type: "integer", default: 60 },
} as const satisfies ParameterDefinitions;

const context = {
	action_context: { user: "ann", pack: "p" },
	config_context: { url: "u" },
};

const items: Readonly<Record<string, string>> = { "a.b": "dotted", plain: "text" };
const datastore: Datastore = { ...emptyDatastore, find: (scope, name) => (scope === "system" ? items[name] : undefined) };

const live = (given: JsonObject, actionSchema: ParameterDefinitions = {}, runner: ParameterDefinitions = runnerSchema) =>
	renderLive({ runnerSchema: runner, actionSchema, callerValues: given, context, datastore });
const final = (stored: JsonObject, actionSchema: ParameterDefinitions = {}, runner: ParameterDefinitions = runnerSchema) =>
	renderFinal({ runnerSchema: runner, actionSchema, storedParameters: stored, context, datastore });

/** Whether an error is SVC_INVALID with this message, and comes from a template or not. */
const invalid =
	(message: RegExp, template = false) =>
	(error: unknown) => {
		assert.ok(isSvcError(error, "SVC_INVALID"), String(error));
		assert.match(error.message, message);
		assert.equal(isTemplateProblem(error), template, error.message);
		return true;
	};

test("only what was given and templated defaults are stored", () => {
	const schema: ParameterDefinitions = {
		a: { type: "string", default: "static" },
		b: { type: "string", default: "{{ a }}-{{ timeout }}" },
		c: { type: "string", default: "{{ a }}", immutable: true },
		d: { type: "integer" },
	};
	assert.deepEqual(live({ cmd: "x", d: "5" }, schema), { cmd: "x", d: 5, b: "static-60" });
});

test("a run gets every default, split between runner and action", () => {
	const schema: ParameterDefinitions = {
		cmd: { default: "run {{ word }}", immutable: true },
		word: { type: "string" },
		unset: { type: "integer" },
		object: {
			type: "object",
			default: { a: 1 },
			properties: { b: { type: "integer", default: 2 }, c: { type: "object", properties: { d: { default: 3 } } } },
		},
	};
	assert.deepEqual(final({ word: "w", object: { c: {} } }, schema), {
		runnerParameters: { cmd: "run w", sudo: false, timeout: 60 },
		actionParameters: { word: "w", unset: null, object: { c: { d: 3 }, b: 2 } },
	});
	assert.deepEqual(Object.keys(final({}, schema).actionParameters), ["word", "unset", "object"]);
});

test("stored values are plain text in a run, whatever they hold", () => {
	assert.equal(final({ cmd: "{{ nothing }} {% if %}" }).runnerParameters["cmd"], "{{ nothing }} {% if %}");
	const stored = live({ cmd: "{{ '{{' }} timeout }}" });
	assert.deepEqual(stored, { cmd: "{{ timeout }}" });
	assert.equal(final(stored).runnerParameters["cmd"], "{{ timeout }}");
});

test("values of an earlier execution are not rendered again", () => {
	const input = {
		runnerSchema,
		actionSchema: {},
		context,
		callerValues: { env: { a: "{{ timeout }}" } },
		earlierValues: { cmd: "{{ nothing }}", timeout: 5 },
	};
	assert.deepEqual(renderLive(input), { cmd: "{{ nothing }}", timeout: 5, env: { a: 5 } });
});

test("parameters may use one another in any order, across runner and action", () => {
	const schema: ParameterDefinitions = { z: { type: "string", default: "{{ y }}z" }, y: { type: "string", default: "{{ cmd }}y" } };
	assert.deepEqual(live({ cmd: "{{ timeout }}" }, schema), { cmd: "60", z: "60yz", y: "60y" });
});

test("context names are available, and missing datastore keys are empty", () => {
	const given = {
		cmd: "{{ action_context.user }} {{ config_context.url }} {{ svckv.system.a.b }} {{ svckv.system['a.b'] }} {{ svckv.user.none }}| {{ __context.action_context.pack }}",
	};
	assert.deepEqual(live(given), { cmd: "ann u dotted dotted | p" });
	assert.deepEqual(
		renderLive({ runnerSchema, actionSchema: {}, callerValues: { cmd: "{{ trigger.body.x }}" }, context: { trigger: { body: { x: 1 } } } }),
		{ cmd: "1" },
	);
});

test("members of arrays and objects that are one variable keep their type, others become text", () => {
	const schema: ParameterDefinitions = { n: { type: "integer", default: 5 }, o: { type: "object", default: { k: [1] } } };
	const given = {
		env: {
			n: "{{n}}",
			spaced: "{{  n  }}",
			text: "{{ n }}!",
			o: "{{ o }}",
			member: "{{ o.k }}",
			complex: "{{ o.k | to_complex }}",
			list: ["{{ n }}", 1, null],
			"N{{ n }}": true,
			none: "{{ cmd }}",
		},
	};
	assert.deepEqual(live(given, schema), {
		env: { n: 5, spaced: 5, text: "5!", o: { k: [1] }, member: "[1]", complex: [1], list: [5, 1, null], N5: true, none: null },
	});
});

test("a parameter without a value is None in a text", () => {
	assert.deepEqual(live({ cmd: "{{ env }}" }), { cmd: "None" });
});

test("text that is no template is taken literally", () => {
	for (const cmd of ["{{", "{% if %}", "echo ${x:-{{}", "{{ a b }}"]) assert.deepEqual(live({ cmd }), { cmd });
});

test("a caller's text that uses a name which means nothing is kept as it is, and others beside it are rendered", () => {
	for (const cmd of ["{{ nothing }}", "docker ps --format '{{ json }}'", "{{ nothing | default('x') }}", "{{ env }} {{ nothing }}"]) {
		assert.deepEqual(live({ cmd, env: {} }), { cmd, env: {} });
	}
	const own = { a: ["{{ nothing }}", "{{ cmd }}"], "{{ nothing }}": "{{ cmd }}", "x{{ cmd }}": "{{ nothing.member }}" };
	assert.deepEqual(live({ cmd: "date", own }, { own: { type: "object" } }), {
		cmd: "date",
		own: { a: ["{{ nothing }}", "date"], "{{ nothing }}": "date", xdate: "{{ nothing.member }}" },
	});
});

const templateErrors: readonly (readonly [given: JsonObject, message: RegExp])[] = [
	[{ cmd: "{{ cmd }}" }, /^Cyclic dependency found in the following variables: cmd -> cmd/],
	[{ cmd: "{{ env }}", env: { a: "{{ cmd }}" } }, /^Cyclic dependency found in the following variables: cmd -> env -> cmd/],
	[{ cmd: "{{ action_context.nope }}" }, /^Failed to render parameter "cmd": .*"nope"/],
	[{ cmd: "{{ 1 / 0 }}" }, /^Failed to render parameter "cmd": division by zero/],
	[{ cmd: "{{ ''.constructor.constructor('return process')() }}" }, /./],
	[{ cmd: "{{ 'x' * 1000000000 }}" }, /^Failed to render parameter "cmd"/],
	[{ cmd: `{{ ${"(".repeat(5_000)} }}` }, /^Failed to render parameter "cmd": the template is nested deeper/],
];

test("problems of templates name parameter and variable", () => {
	for (const [given, message] of templateErrors.filter(([{ cmd }]) => !String(cmd).includes("process")))
		assert.throws(() => live(given), invalid(message, true));
	// A call of something that is no name does not even parse, so that the text stays what it is.
	const text = "{{ ''.constructor.constructor('return process')() }}";
	assert.deepEqual(live({ cmd: text }), { cmd: text });
});

test("a long chain of parameters is refused rather than followed", () => {
	const given = Object.fromEntries(Array.from({ length: 5_000 }, (_, index): [string, JsonValue] => [`p${index}`, `{{ p${index + 1} }}`]));
	assert.throws(() => live({ ...given, p5000: "end" }, {}, {}), invalid(/a chain of more than/, true));
});

test("unknown, immutable and missing parameters are refused by name", () => {
	const schema: ParameterDefinitions = { cmd: { required: true }, sudo: { immutable: true }, d: { required: true, default: 1 } };
	assert.throws(() => live({ cmd: "x", colour: "red" }, schema), invalid(/additional properties are not allowed: parameter "colour"/));
	assert.throws(() => live({ cmd: "x", __proto__x: 1 }, schema), invalid(/"__proto__x"/));
	assert.throws(() => live(JSON.parse('{"cmd": "x", "__proto__": {}}') as JsonObject, schema), invalid(/"__proto__"/));
	assert.throws(() => live({ cmd: "x", sudo: false }, schema), invalid(/immutable parameters cannot be set: "sudo"/));
	assert.throws(() => live({}, schema), invalid(/parameter "cmd" is a required property/));
	assert.throws(() => live({ cmd: null }, schema), invalid(/parameter "cmd" is required and must not be null/));
	assert.throws(() => live({ cmd: "{{ none | use_none }}" }, schema), invalid(/parameter "cmd" is required and must not be null/));
	assert.deepEqual(live({ cmd: "x" }, schema), { cmd: "x" });
});

test("an action and runner that declare nothing accept anything", () => {
	const given = JSON.parse('{"a": "{{ b }}", "b": 1, "__proto__": {"x": 1}}') as JsonObject;
	const stored = live(given, {}, {});
	assert.equal(JSON.stringify(stored), '{"a":"1","b":1,"__proto__":{"x":1}}');
	assert.deepEqual(JSON.stringify(final(stored, {}, {})), '{"runnerParameters":{},"actionParameters":{"a":"1","b":1,"__proto__":{"x":1}}}');
});

test("null for an optional parameter is kept, and the default applies in a run", () => {
	assert.deepEqual(live({ timeout: null, cmd: "{{ timeout }}" }), { timeout: null, cmd: "60" });
	assert.equal(final({ timeout: null }).runnerParameters["timeout"], 60);
	assert.equal(Object.hasOwn(final({ password: null }).runnerParameters, "password"), false);
});

test("the action's default wins over the runner's", () => {
	assert.equal(final({}, { timeout: { default: 5 } }).runnerParameters["timeout"], 5);
	assert.equal(final({ sudo: true }, { sudo: { default: false, immutable: true } }).runnerParameters["sudo"], false);
});

test("bad defaults are found when they apply", () => {
	assert.throws(() => final({}, { timeout: { default: "soon" } }), invalid(/parameter "timeout" must be an integer/));
	assert.throws(
		() => live({}, { x: { type: "string", default: "{{ nothing }}", immutable: true } }),
		invalid(/Dependency unsatisfied in variable "nothing": parameter "x"/, true),
	);
});

const one = (definition: ParameterDefinition, value: JsonValue) => live({ x: value }, { x: definition }, {})["x"];

test("values nested 10,000 deep are refused without harm", () => {
	const text = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
	const deep = JSON.parse(text) as JsonValue;
	for (const definition of [{}, { type: "array" }, { type: "array", items: { type: "array" } }] as const)
		assert.throws(() => one(definition, deep), invalid(/nested deeper than 100/));
	assert.throws(() => one({ type: "array" }, text), invalid(/nested deeper than 100/));
	assert.throws(() => one({ type: "array" }, text.replaceAll("[", "('',")), invalid(/must be an array/));
	assert.throws(() => live({ cmd: "{{ nothing }}", env: { deep } }), invalid(/"env" is nested deeper/));
	assert.throws(() => live({ x: deep }, {}, {}), invalid(/"x" is nested deeper/));
});

test("a number beyond 2^53 is refused for a parameter of the runner, and kept for one of the action", () => {
	const large = 2n ** 60n;
	assert.throws(() => live({ timeout: large }), invalid(/"timeout" must be between -9007199254740991 and 9007199254740991/));
	assert.throws(() => final({ timeout: large }), invalid(/"timeout" must be between -9007199254740991 and 9007199254740991/));
	assert.deepEqual(live({ id: large }, { id: { type: "integer" } }), { id: large });
});

test("the text of a long list, as a template prints it, is the value of an array; above 200,000 characters it must be JSON", () => {
	const list = Array.from({ length: 20_010 }, (_, index) => `item ${index % 7}`);
	const printed = `[${list
		.slice(0, 18_000)
		.map((item) => `'${item}'`)
		.join(", ")}]`;
	assert.deepEqual(live({ list: printed }, { list: { type: "array" } }, {}), { list: list.slice(0, 18_000) });
	assert.deepEqual(live({ list: JSON.stringify(list) }, { list: { type: "array" } }, {}), { list });
	const long = `[${list.map((item) => `'${item}'`).join(", ")}]`;
	assert.throws(
		() => live({ list: long }, { list: { type: "array" } }, {}),
		invalid(/"list" must be an array, .*above 200000 characters/, false),
	);
});

test("rendering without templates takes far less than 50 microseconds", () => {
	const actionSchema = { cmd: { required: true }, sudo: { immutable: true } } as const;
	const given = { cmd: "echo hi" };
	const rounds = 2_000;
	const time = (action: () => unknown) => {
		for (let index = 0; index < rounds; index++) action();
		const start = performance.now();
		for (let index = 0; index < rounds; index++) action();
		return ((performance.now() - start) * 1_000) / rounds;
	};
	// Best of several, as the machine may be busy.
	const best = (action: () => unknown) => Math.min(...Array.from({ length: 5 }, () => time(action)));
	assert.ok(best(() => live(given, actionSchema)) < 50);
	assert.ok(best(() => final(given, actionSchema)) < 50);
});

test.run();
