import * as assert from "node:assert/strict";
import { test } from "uvu";
import "../../../plugins/_shipped/optional-features.ts";
import { isSvcError, type OptionDefinitions, type OptionSections, type SvcConfig } from "../../contract/index.ts";
import { defineFeature, type FeaturePlugin } from "../../features/feature-plugin.ts";
import { isPermissionType } from "../../kernel/basics/permission-types.ts";
import { configWith } from "../../testing/config/config.test-support.ts";
import { listOptions } from "../plan/make-plan.ts";
import { resolveConfig } from "./resolve-config.ts";

const perchOptions = {
	seats: { type: "integer", default: 3, minimum: 1, description: "Number of birds that fit." },
	wood: { type: "string", default: "oak", choices: ["oak", "ash"], description: "Wood of the perch." },
	guests: { type: "list", default: [], description: "Names of birds that may use the perch." },
} as const satisfies OptionDefinitions;

declare module "../../feature.ts" {
	interface FeatureSections {
		perch: typeof perchOptions;
	}
}

/** A feature without anything, as a configuration in plain JavaScript may contain it. */
const bare = (name: string, members: Partial<FeaturePlugin> = {}): FeaturePlugin => ({
	kind: "feature",
	name,
	create: () => ({ api: {} }),
	...members,
});

const perch = defineFeature({ name: "birds", options: { perch: perchOptions }, create: () => ({ api: {} }) });

/** Returns a configuration with the feature `birds`, resolved. */
const withPerch = (members: Partial<SvcConfig> = {}, env: Record<string, string> = {}) =>
	resolveConfig(configWith({ features: [perch], ...members }), { env, directory: "/" });

/** Returns the problems of a configuration. */
function problemsOf(members: object, env: Record<string, string> = {}): readonly string[] {
	try {
		withPerch(members as Partial<SvcConfig>, env);
		return [];
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFIG")) throw error;
		return error.facts["problems"] as readonly string[];
	}
}

/** Returns the message with which a configuration with these features is refused. Returns an empty text if it is accepted. */
function refusalOf(features: unknown): string {
	try {
		resolveConfig(configWith({ features: features as readonly FeaturePlugin[] }), { env: {}, directory: "/" });
		return "";
	} catch (error) {
		if (!isSvcError(error, "SVC_CONFIG")) throw error;
		return error.message;
	}
}

test("a feature may require features of core, and others wherever they are listed", () => {
	assert.equal(refusalOf([bare("one", { requires: ["two", "rules"] }), bare("two", { requires: ["three"] }), bare("three")]), "");
});

test("a feature that requires a missing one is refused, and the message says what to add", () => {
	assert.match(
		refusalOf([bare("one", { requires: ["rules", "two"] })]),
		/features\[0\]: "one" needs the feature "two"; hint: add a feature "two" to features/,
	);
});

test("features that require each other are refused", () => {
	const message = refusalOf([bare("one", { requires: ["two"] }), bare("two", { requires: ["one"] }), bare("three")]);
	assert.match(message, /features: "one", "two" cannot be created, because they require each other/);
});

test("a feature with the name of a feature of core, or of another one, is refused", () => {
	assert.match(refusalOf([bare("rules")]), /features\[0\]: the feature "rules" is built in; choose another name/);
	assert.match(refusalOf([bare("one"), bare("one")]), /features\[1\]: feature "one" is already at features\[0\]; names must be unique/);
});

test("what is no list of features is refused", () => {
	assert.match(refusalOf("webUi"), /features: expected an array of feature plugins, got "webUi"; hint: features: \[webUi\(\), audit\(\)\]/);
	assert.match(refusalOf([bare]), /features\[0\]: expected a feature, got a function, which must be called to create the plugin/);
	assert.match(refusalOf([{ kind: "feature", name: "one" }]), /features\[0\]: expected a feature, got an object/);
});

test("a feature with a kind of entities of core is refused", () => {
	const kinds = { rule: { fields: {} } } as unknown as NonNullable<FeaturePlugin["kinds"]>;
	assert.match(refusalOf([bare("one", { kinds })]), /features: kind "rule" is built in and cannot be registered/);
	assert.throws(
		() => defineFeature({ name: "one", kinds, create: () => ({ api: {} }) }),
		/kind "rule" is built in and cannot be registered/,
	);
});

test("a feature with permissions on records of core is refused", () => {
	const permissions = { rule: { verbs: ["dance"] } } as unknown as NonNullable<FeaturePlugin["permissions"]>;
	const problem = /permissions of "rule" are already defined differently/;
	assert.match(refusalOf([bare("one", { permissions })]), problem);
	assert.throws(() => defineFeature({ name: "one", permissions, create: () => ({ api: {} }) }), problem);
	assert.equal(isPermissionType("rule_dance"), false);
});

test("options of a feature have defaults, and come from the configuration and from the environment", () => {
	assert.deepEqual(withPerch().options.perch, { seats: 3, wood: "oak", guests: [] });
	const { options } = withPerch({ perch: { seats: 5, wood: "ash" } }, { SVC_PERCH_SEATS: "7", SVC_PERCH_GUESTS: "wren, owl" });
	assert.deepEqual(options.perch, { seats: 7, wood: "ash", guests: ["wren", "owl"] });
});

test("the plan lists options of a feature that differ from the default, and their variables", () => {
	const env = { SVC_PERCH_SEATS: "7" };
	const listed = listOptions(withPerch({ perch: { wood: "ash", guests: [] } }, env), env);
	assert.deepEqual(
		listed.filter(({ path }) => path.startsWith("perch.")),
		[
			{ path: "perch.seats", value: 7, variable: "SVC_PERCH_SEATS" },
			{ path: "perch.wood", value: "ash" },
		],
	);
});

// @ts-expect-error an option has the type of its definition
export const wrongType: SvcConfig = configWith({ perch: { seats: "5" } });
// @ts-expect-error a string with choices is one of them
export const wrongChoice: SvcConfig = configWith({ perch: { wood: "elm" } });
// @ts-expect-error a section has only the options that are defined
export const wrongOption: SvcConfig = configWith({ perch: { seat: 5 } });
// @ts-expect-error the type of a section is declared in FeatureSections
export const undeclared = defineFeature({ name: "birds", options: { pech: perchOptions }, create: () => ({ api: {} }) });

test("mistakes in options of a feature are refused as those of core are", () => {
	const allowed = "allowed in perch: seats, wood, guests";
	assert.deepEqual(problemsOf({ perch: { seats: 0, wood: "elm", guest: [], wings: 2 } }), [
		`perch.guest: unknown option (an array); did you mean "guests"? ${allowed}`,
		`perch.wings: unknown option (2); ${allowed}`,
		"perch.seats: 0 is out of range; allowed: an integer, at least 1",
		'perch.wood: unknown value "elm"; allowed: oak, ash',
	]);
	assert.match(problemsOf({ perc: {} }).join(), /^perc: unknown section \(an object\); did you mean "perch"\? allowed: .*, perch$/);
	assert.deepEqual(problemsOf({ perch: 3 }), ["perch: expected an object with options, got a number"]);
	assert.deepEqual(problemsOf({}, { SVC_PERCH_SEATS: "many" }), [
		'environment variable SVC_PERCH_SEATS: expected an integer, at least 1, got "many"',
	]);
	assert.deepEqual(withPerch({}, { SVC_PERCH_SEAT: "5", SVC_PERCH_SOMETHING: "5" }).warnings, [
		"environment variable SVC_PERCH_SEAT is unknown and has no effect; did you mean SVC_PERCH_SEATS?",
		"environment variable SVC_PERCH_SOMETHING is unknown and has no effect",
	]);
});

test("options of a feature that is not listed are unknown", () => {
	assert.match(problemsOf({ features: [], perch: {} }).join(), /^perch: unknown section \(an object\); allowed: /);
	assert.deepEqual(withPerch({ features: [] }, { SVC_PERCH_SEATS: "many" }).warnings, []);
});

test("options of a feature of this package that is not listed are refused, and the message says how to add it", () => {
	const hint = (name: string, folder: string) =>
		`the feature "${name}" is not listed in features; hint: add ${name}() of svc-automation/plugins/feature-${folder} to features`;
	const members = { audit: { keep_days: 7 }, packs: ["packs", { git: "https://git.example/disk" }], features: [] };
	assert.deepEqual(problemsOf(members, { SVC_WORKERS_LEASE: "30", SVC_WORKERS_RUNNERS: "" }), [
		`audit: ${hint("audit", "audit")}`,
		`packs[1]: ${hint("packInstaller", "pack-installer")}`,
		`environment variable SVC_WORKERS_LEASE: ${hint("workers", "workers")}`,
	]);
	assert.match(problemsOf({ audit: { keep_day: 7 } }).join("\n"), /^audit\.keep_day: unknown option \(7\); did you mean "keep_days"\?/m);
	assert.match(problemsOf({ auditt: {} }).join(), /did you mean "audit"\?/);
	assert.deepEqual(withPerch({}, { SVC_AUDIT_KEEP_DAY: "7" }).warnings, [
		"environment variable SVC_AUDIT_KEEP_DAY is unknown and has no effect; did you mean SVC_AUDIT_KEEP_DAYS?",
	]);
});

test("features with the same section, and one with a section of core, are refused by name", () => {
	const nest = { perch: { eggs: { type: "integer", default: 1, description: "" } } } as const;
	assert.match(
		refusalOf([perch, bare("nests", { options: nest })]),
		/features\[1\]: options of "nests": the feature "birds" has a section "perch"; choose another name/,
	);
	assert.match(
		refusalOf([bare("books", { options: { audit: nest.perch } })]),
		/features\[0\]: options of "books": the feature "audit" has a section "audit"; choose another name/,
	);
	for (const member of ["log", "packs", "data_dir"]) {
		const refusal = refusalOf([bare("nests", { options: { [member]: nest.perch } })]);
		assert.match(refusal, new RegExp(`features\\[0\\]: options of "nests": the member "${member}" is built in; choose another name`));
	}
});

test("definitions of options that cannot be used are refused", () => {
	const refused = (options: object) => refusalOf([bare("nests", { options: options as OptionSections })]);
	const eggs = { type: "integer", default: 1, minimum: 1, description: "" };
	assert.equal(refused({ nest: { eggs } }), "");
	assert.match(refused({ nest: 3 }), /features\[0\]: options of "nests": nest: expected an object of option definitions, got a number/);
	assert.match(refused({ nest: { eggs: null } }), /nest: expected an object of option definitions, got an object/);
	assert.match(
		refused({ nest: { eggs: { ...eggs, default: 0 } } }),
		/nest\.eggs: default: 0 is out of range; allowed: an integer, at least 1/,
	);
	assert.match(refused({ nest: { "big-eggs": eggs } }), /nest\.big-eggs: names must consist of lower-case letters, digits and underscores/);
	assert.match(refused({ data: { dir: eggs } }), /data\.dir: the environment variable SVC_DATA_DIR is already used; choose another name/);
	assert.match(refused({ auth_token: { ttl: eggs } }), /auth_token\.ttl: the environment variable SVC_AUTH_TOKEN_TTL is already used/);
	assert.match(refused({ a: { b_c: eggs }, a_b: { c: eggs } }), /a_b\.c: the environment variable SVC_A_B_C is already used/);
});

test.run();
