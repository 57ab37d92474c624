import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { test } from "uvu";
import { parse } from "yaml";
import { fileSchemas } from "../../plugins/_shipped/file-schemas.ts";
import { aliasAttributes, toAliasInput } from "../../plugins/feature-aliases/alias-file.ts";
import { aliasCaseShape } from "../../plugins/feature-aliases/alias-test-case-exports.ts";
import { isSvcError, type JsonObject, type JsonValue } from "../contract/index.ts";
import { checkParameterDefinitions } from "../language/parameters/check-definitions.ts";
import { attributeRules, nestedAttributeRules } from "../language/parameters/definition-attributes.ts";
import { toCases } from "./packs/read-cases-exports.ts";
import { actionAttributes, toAction } from "./packs/reading/action-metadata.ts";
import { manifestAttributes, toPack } from "./packs/reading/manifest.ts";
import { checkOverrides } from "./packs/registration/overrides.ts";
import { policyAttributes, toPolicyInput } from "./policies/policy-file.ts";
import { ruleAttributes, toRuleInput } from "./rules/rule-file.ts";
import { ruleTestCaseAttributes } from "./rules/rule-test-case-exports.ts";
import { sensorAttributes, toSensorInput } from "./sensors/sensor-file.ts";
import { toTriggerTypeInput, triggerTypeAttributes } from "./triggers/trigger-type-file.ts";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/build\/tests\/$/, "");
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);

const place = { pack: "samples", file: "actions/x.yaml" };
/** What the service makes of a file. */
const readers: Readonly<Record<string, (content: JsonObject) => unknown>> = {
	pack: (content) => toPack(content, "/packs/samples"),
	action: (content) => toAction(content, place),
	"config-schema": checkParameterDefinitions,
	rule: (content) => toRuleInput(content, place),
	alias: (content) => toAliasInput(content, place),
	overrides: (content) => checkOverrides(content),
	"alias-cases": (content) => toCases(content as unknown as JsonValue, aliasCaseShape),
	"rule-cases": (content) => toCases(content as unknown as JsonValue, ruleTestCaseAttributes),
	policy: (content) => toPolicyInput(content, place),
	sensor: (content) => toSensorInput(content, place),
	trigger: (content) => toTriggerTypeInput(content, place),
};

const validators = new Map(fileSchemas.map(({ name, schema }) => [name, ajv.compile(schema)]));

function accepts(name: string, content: JsonValue): boolean {
	return validators.get(name)?.(content) === true;
}

function reads(name: string, content: JsonObject): boolean {
	try {
		readers[name]?.(content);
		return true;
	} catch (error) {
		if (isSvcError(error, "SVC_INVALID")) return false;
		throw error;
	}
}

test("there is a schema for each kind of file that the service reads", () => {
	assert.deepEqual([...validators.keys()].sort(), Object.keys(readers).sort());
});

/** A file may hold a list. */
const list = (...cases: readonly JsonObject[]) => cases as unknown as JsonObject;
const pack = { name: "samples", description: "", version: "1.0.0", author: "ann" };
const action = { name: "greet", runner_type: "local-shell-cmd" };
const rule = { name: "r", trigger: { type: "core.t" }, action: { ref: "core.noop" } };
const policy = { name: "p", resource_ref: "core.local", policy_type: "action.concurrency" };
const sensor = { class_name: "Watch", entry_point: "watch.py" };
const alias = { name: "a", action_ref: "core.local", formats: ["run {{ cmd }}"] };
const nested = { type: "object", properties: { a: { type: ["string", "null"], required: ["b"] } }, additionalProperties: false };
const right: Readonly<Record<string, readonly JsonObject[]>> = {
	pack: [
		pack,
		{ ...pack, version: 1.2, ref: "s_1", email: "", keywords: [1], stackstorm: {} },
		{ ...pack, email: "a@b", svc_version: null },
	],
	action: [
		action,
		{ ...action, enabled: null, tags: [{ name: "a", value: 1 }], notify: { on_success: { message: "m", routes: ["r"] } } },
		{ ...action, parameters: { größe: { type: "integer", position: 0, minimum: 1 }, n: nested } },
	],
	overrides: [
		{},
		{ actions: { defaults: { enabled: false }, exceptions: { a: { enabled: true } } }, rules: null, aliases: { defaults: null } },
	],
	"config-schema": [{}, { token: { type: "string", secret: true, required: true } }, { list: { type: "array", items: nested } }],
	rule: [rule, { ...rule, type: { ref: "standard" }, criteria: {}, tags: [{}], trigger: { type: "core.t", parameters: null } }],
	alias: [
		alias,
		{
			...alias,
			formats: [{ display: "run", representation: "run {{ cmd }}" }, { display: "stop" }],
			ack: null,
			result: { enabled: false },
		},
		{ ...alias, formats: [{ representation: ["a", "b"], match_multiple: true }], ack: { format: null, append_url: true, extra: {} } },
	],
	"rule-cases": [
		list(),
		list({ name: "a", payload: {} }, { name: "b", rule: "r", payload: { x: 1 }, datastore: {}, expect: { matches: false } }),
	],
	"alias-cases": [
		list({ command: "a" }, { command: "b", name: "n", alias: "c", expect: { matches: true, action: "x.y", executions: [{}] } }),
	],
	policy: [policy, { ...policy, parameters: { threshold: 3 }, enabled: false }],
	sensor: [sensor, { ...sensor, poll_interval: 4, enabled: false, trigger_types: [{ name: "a", description: null }, { name: "b" }] }],
	trigger: [{ name: "t" }, { name: "t", payload_schema: {}, parameters_schema: null, tags: [{ a: 1 }] }],
};
const wrong: Readonly<Record<string, readonly JsonObject[]>> = {
	pack: [
		{},
		{ ...pack, version: "one" },
		{ ...pack, ref: "No" },
		{ ...pack, email: "nobody" },
		{ ...pack, author: " " },
		{ ...pack, keywords: "a" },
	],
	action: [
		{ name: "greet" },
		{ ...action, name: "no good" },
		{ ...action, entrypoint: "x" },
		{ ...action, enabled: "yes" },
		{ ...action, tags: [{}] },
		{ ...action, notify: { later: {} } },
		{ ...action, notify: { "on-success": { text: "x" } } },
		{ ...action, parameters: { "a b": {} } },
		{ ...action, parameters: { a: { type: "text" } } },
		{ ...action, parameters: { a: { tpye: "string" } } },
		{ ...action, parameters: { a: { position: -1 } } },
		{ ...action, parameters: { a: { enum: [] } } },
		{ ...action, parameters: { a: { pattern: "(" } } },
		{ ...action, parameters: { a: { items: { kind: "string" } } } },
	],
	overrides: [
		{ packs: {} },
		{ actions: { defaults: { tags: [] } } },
		{ rules: { exceptions: { a: {} } } },
		{ sensors: { exceptions: { a: true } } },
	],
	"config-schema": [{ token: "string" }, { token: { secret: "yes" } }],
	rule: [{ ...rule, trigger: {} }, { ...rule, action: "core.noop" }, { ...rule, when: {} }, { ...rule, tags: ["a"] }, { name: "r" }],
	alias: [
		{ ...alias, formats: [] },
		{ ...alias, formats: "run" },
		{ ...alias, formats: [1] },
		{ ...alias, formats: [{}] },
		{ ...alias, formats: [{ representation: [] }] },
		{ ...alias, formats: [{ display: "x", text: "y" }] },
		{ ...alias, ack: { text: "x" } },
		{ ...alias, result: { append_url: true } },
		{ ...alias, result: { format: 1 } },
		{ name: "a", formats: ["x"] },
	],
	"alias-cases": [list({ name: "a" }), list({ command: " " }), list({ command: "a", expect: { executions: [1] } })],
	"rule-cases": [
		{ name: "a" },
		list({ name: "a" }),
		list({ payload: {} }),
		list({ name: "a", payload: 1 }),
		list({ name: "a", payload: {}, expect: { match: true } }),
		list({ name: "a", payload: {}, expect: [] }),
	],
	policy: [
		{ ...policy, policy_type: "" },
		{ ...policy, limit: 1 },
	],
	sensor: [
		{ class_name: "Watch" },
		{ entry_point: "watch.py" },
		{ ...sensor, class_name: "no good" },
		{ ...sensor, poll_interval: 3 },
		{ ...sensor, poll_interval: 4.5 },
		{ ...sensor, trigger_types: [{ description: "nameless" }] },
		{ ...sensor, trigger_types: [{ name: "a", payload: {} }] },
		{ ...sensor, triggers: [] },
	],
	trigger: [{}, { name: "t", tags: {} }],
};

for (const name of Object.keys(readers)) {
	test(`the schema of ${name} accepts what the service accepts, and refuses what it refuses`, () => {
		for (const content of right[name] ?? [])
			assert.deepEqual([accepts(name, content), reads(name, content)], [true, true], JSON.stringify(content));
		for (const content of wrong[name] ?? [])
			assert.deepEqual([accepts(name, content), reads(name, content)], [false, false], JSON.stringify(content));
	});
}

const probes: readonly JsonValue[] = [
	true,
	false,
	0,
	1,
	-1,
	0.5,
	"",
	" ",
	"a",
	"string",
	"A b",
	"1.2",
	"(",
	[],
	[1],
	["a"],
	["string"],
	[{}],
	{},
	{ ref: "a" },
	{ type: "a" },
];

test("each attribute's schema accepts what its check does", () => {
	const tables = {
		manifestAttributes,
		actionAttributes,
		ruleAttributes,
		aliasAttributes,
		policyAttributes,
		sensorAttributes,
		triggerTypeAttributes,
	};
	for (const [table, attributes] of Object.entries(tables)) {
		for (const [name, { schema, accepts: check }] of Object.entries(attributes)) {
			// Their members are looked at by checks of their own.
			if (JSON.stringify(schema).includes("definitions") || name === "notify") continue;
			const validate = ajv.compile(schema);
			for (const probe of probes) assert.equal(validate(probe), check(probe), `${table}.${name} ${JSON.stringify(probe)}`);
		}
	}
});

test("each word's schema accepts what its check does, within definitions too", () => {
	const definitions = { definition: { type: "object" } };
	for (const [name, { schema, accepts: check, hasDefinitions: isNested }] of [
		...Object.entries(attributeRules),
		...Object.entries(nestedAttributeRules),
	]) {
		const validate = ajv.compile({ ...schema, definitions });
		for (const probe of probes) {
			if (isNested === true && typeof probe === "object") continue;
			assert.equal(validate(probe), check(probe), `${name} ${JSON.stringify(probe)}`);
		}
	}
});

test("the page of the files of packs names each attribute in the table of its kind", () => {
	const page = readFileSync(join(root, "docs/reference/pack-files.md"), "utf8");
	const kinds = [
		["`pack.yaml`", manifestAttributes],
		["Actions", actionAttributes],
		["Sensors", sensorAttributes],
		["Triggers", triggerTypeAttributes],
		["Rules", ruleAttributes],
		["Policies", policyAttributes],
		["Aliases", aliasAttributes],
	] as const;
	// Of all kinds, told of once.
	const common = ["ref", "uid", "id", "metadata_file", "pack"];
	for (const [title, attributes] of kinds) {
		const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
		const named = [...section.matchAll(/^\| `(\w+)`(\*?) \|/gm)].map(([, name = "", star = ""]) => name + star);
		const wanted = Object.entries(attributes).filter(([name]) => title === "`pack.yaml`" || !common.includes(name));
		assert.deepEqual(named.sort(), wanted.map(([name, { required = false }]) => name + (required ? "*" : "")).sort(), title);
	}
});

test("the page of the files of packs names each schema", () => {
	const page = readFileSync(join(root, "docs/reference/pack-files.md"), "utf8");
	const schemas = [...validators.keys(), "workflow", "workflow-cases", "chain"];
	const named = [...page.matchAll(/`([a-z-]+)\.json`/g)].map(([, name = ""]) => name);
	assert.deepEqual(named.sort(), schemas.sort());
});

/** YAML files in and below a directory, from there. */
function findYaml(directory: string): readonly string[] {
	return readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
}

/** Which schema a file of a pack has. */
function kindOf(file: string): string | undefined {
	const folders: Readonly<Record<string, string>> = {
		actions: "action",
		rules: "rule",
		aliases: "alias",
		policies: "policy",
		sensors: "sensor",
		triggers: "trigger",
	};
	const folder = basename(dirname(file));
	if (basename(file) === "pack.yaml") return "pack";
	if (file.endsWith(".test.yaml")) return "workflow-cases";
	if (folder === "workflows") return "workflow";
	if (basename(dirname(dirname(file))) === "tests") return `${folders[folder]}-cases`;
	return basename(file) === "config.schema.yaml" ? "config-schema" : folders[folder];
}

test("the files of all examples keep to their schemas", () => {
	const files = findYaml("examples").filter((file) => file.includes("packs/") && validators.has(kindOf(file) ?? ""));
	assert.ok(files.length > 15);
	for (const file of files)
		assert.equal(accepts(kindOf(file) ?? "", parse(readFileSync(join(root, "examples", file), "utf8"))), true, file);
});

for (const name of ["project", "pack"])
	test(`files of a new ${name} tell editors where their schema is`, () => {
		const project = `examples/templates/${name}`;
		const files = findYaml(project);
		assert.ok(files.length >= 3);
		for (const file of files) {
			const [line = ""] = readFileSync(join(root, project, file), "utf8").split("\n");
			const [, path = ""] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? [];
			assert.equal(
				resolve("/project", dirname(file), path),
				`/project/node_modules/svc-automation/dist/schemas/${kindOf(file)}.json`,
				file,
			);
		}
	});

test.run();
