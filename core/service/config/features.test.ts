import * as assert from "node:assert/strict";
import { test } from "uvu";
import "../../../plugins/_shipped/optional-features.ts";
import { isSvcError, type OptionDefinitions, type OptionSections, type SvcConfig } from "../../contract/index.ts";
import { defineFeature, type FeaturePlugin } from "../../features/feature-plugin.ts";
import { isPermissionType } from "../../kernel/basics/permission-types.ts";
import { configWith } from "../../testing/config/config.test-support.ts";
import { listOptions } from "../plan/make-plan.ts";
import { createServiceComponents } from "../service-components.ts";
import { resolveConfig } from "./resolve-config.ts";

const perchOptions = {
	seats: { type: "integer", default: 3, minimum: 1, description: "Number of birds that fit." },
	wood: { type: "string", default: "oak", choices: ["oak", "ash"], description: "Wood of the perch." },
	guests: { type: "list", default: [], description: "Names of birds that may use the perch." },
} as const satisfies OptionDefinitions;

declare module "../../feature.ts" {
	interface FeatureOptionSections {
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
	assert.match(refusalOf([{ ...bare("one"), name: Object.create(null) }]), /features\[0\]: expected a feature, got an object/);
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
// @ts-expect-error the type of a section is declared in FeatureOptionSections
export const undeclared = defineFeature({ name: "birds", options: { pech: perchOptions }, create: () => ({ api: {} }) });

test("mistakes in options of a feature are refused as those of core are", () => {
	const allowed = "allowed in perch: seats, wood, guests";
	assert.deepEqual(problemsOf({ perch: { seats: 0, wood: "elm", guest: [], wings: 2 } }), [
		`perch.guest: unknown option (an array); did you mean "guests"? ${allowed}`,
		`perch.wings: unknown option (2); ${allowed}`,
		"perch.seats: 0 is out of range; allowed: an integer, at least 1",
		'perch.wood: unknown value "elm"; allowed: oak, ash',
	]);
	assert.match(problemsOf({ perc: {} }).join(), /^perc: unknown section \(an object\); did you mean "perch"\? allowed: .*, perch; hint: /);
	assert.deepEqual(problemsOf({ perch: 3 }), ["perch: expected an object with options, got a number"]);
	assert.deepEqual(problemsOf({}, { SVC_PERCH_SEATS: "many" }), [
		'environment variable SVC_PERCH_SEATS: expected an integer, at least 1, got "many"',
	]);
	assert.deepEqual(withPerch({}, { SVC_PERCH_SEAT: "5", SVC_PERCH_SOMETHING: "5" }).warnings, [
		"environment variable SVC_PERCH_SEAT is unknown and has no effect; did you mean SVC_PERCH_SEATS?",
		"environment variable SVC_PERCH_SOMETHING is unknown and has no effect",
	]);
});

test("a feature checks its options together, as they are resolved, if there are no other problems", () => {
	const seen: unknown[] = [];
	const birds = defineFeature({
		name: "birds",
		options: { perch: perchOptions },
		create: () => ({ api: {} }),
		findProblems({ data_dir }, { perch: { seats, guests } }) {
			seen.push([data_dir, seats, guests]);
			return guests.length > seats ? [`perch.guests: there are only ${seats} seats`] : [];
		},
	});
	const given = { features: [birds], data_dir: "/nest", perch: { guests: ["wren", "owl"] } };
	assert.deepEqual(problemsOf(given), []);
	assert.deepEqual(problemsOf(given, { SVC_PERCH_SEATS: "1" }), ["perch.guests: there are only 1 seats"]);
	assert.deepEqual(seen, [
		["/nest", 3, ["wren", "owl"]],
		["/nest", 1, ["wren", "owl"]],
	]);
	for (const wrong of [{ perch: { guests: 5 } }, { perch: null }, { rbac: { roles: 5 } }, { packs: 5 }]) problemsOf({ ...given, ...wrong });
	assert.equal(seen.length, 2);
});

test("options of a feature that is not listed are unknown", () => {
	assert.match(
		problemsOf({ features: [], perch: {} }).join(),
		/^perch: unknown section \(an object\); allowed: .*; hint: if it is the section of a feature, add the feature to features$/,
	);
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

const hutch = bare("hutch", {
	options: {
		hutch: {
			api_key: { type: "string", default: "", description: "" },
			api_token: { type: "string", default: "aa", choices: ["aa"], description: "" },
			key_file: { type: "string", default: "", choices: ["", "/etc/key.pem"], description: "" },
			key_style: { type: "string", default: "", secret: false, description: "" },
			phrase: { type: "string", default: "", secret: true, description: "" },
			pin: { type: "integer", default: 1, maximum: 9_999, secret: true, description: "" },
			pins: { type: "list", default: [], choices: ["carrot"], secret: true, description: "" },
			tokens_ttl: { type: "integer", default: 1, description: "" },
		},
	},
});

/** Returns a configuration with the feature `hutch`, resolved. */
const withHutch = (options: object, env: Record<string, string> = {}) =>
	withPerch({ features: [hutch], hutch: options } as Partial<SvcConfig>, env);

test("the plan masks secret options of any type, and strings whose name is that of a secret", () => {
	const env = { SVC_HUTCH_PIN: "1234" };
	const given = { api_key: "abc", key_file: "/etc/key.pem", key_style: "round", phrase: "meadow", pins: ["carrot"], tokens_ttl: 5 };
	const listed = listOptions(withHutch(given, env), env).filter(({ path }) => path.startsWith("hutch."));
	assert.deepEqual(Object.fromEntries(listed.map(({ path, value }) => [path.slice(6), value])), {
		...given,
		...{ api_key: "********", phrase: "********", pin: "********", pins: "********" },
	});
});

test("a problem never quotes the value of a secret option", () => {
	const given = {
		api_key: 12345678,
		api_token: "aaa12",
		key_file: "/etc/ke.pem",
		phrase: 1234,
		pin: 12345678,
		pins: ["carot"],
		tokens_ttl: "ever",
	};
	assert.deepEqual(problemsOf({ features: [hutch], hutch: given }, { SVC_HUTCH_PIN: "12x4", SVC_HUTCH_API_TOKEN: "12345678" }), [
		"hutch.api_key: expected a string, got a number",
		"hutch.api_token: unknown value; allowed: aa",
		"environment variable SVC_HUTCH_API_TOKEN: unknown value; allowed: aa",
		'hutch.key_file: unknown value "/etc/ke.pem"; did you mean "/etc/key.pem"? allowed: , /etc/key.pem',
		"hutch.phrase: expected a string, got a number",
		"hutch.pin: a number is out of range; allowed: an integer, at most 9999",
		"environment variable SVC_HUTCH_PIN: expected an integer, at most 9999, got a string",
		"hutch.pins: unknown value; allowed: carrot",
		'hutch.tokens_ttl: expected an integer, got "ever"',
	]);
});

test("the log masks the values of secret options even if it masks no others", () => {
	const lines: string[] = [];
	const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
	const logger = { debug: write, info: write, warn: write, error: write };
	const config = withHutch({ phrase: "over the meadow", pins: ["carrot"], key_style: "very round" });
	const log = createServiceComponents(
		{ ...config, options: { ...config.options, log: { ...config.options.log, mask_secrets: false } } },
		{ logger },
	).logger;
	log.info("found", { text: "carrot over the meadow, very round" });
	assert.equal(lines.at(-1), 'found {"text":"******** ********, very round"}');
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

/** Returns the message with which options of a feature are refused. Returns an empty text if they are accepted. */
const refusalOfOptions = (options: unknown) => refusalOf([bare("nests", { options: options as OptionSections })]);
const eggs = { type: "integer", default: 1, minimum: 1, description: "" } as const;

test("options that are no sections, and sections that are no definitions, are refused by name", () => {
	const begin = 'features[0]: options of "nests": ';
	for (const [options, problem] of [
		[3, "expected an object of sections, got a number"],
		[null, "expected an object of sections, got null"],
		["ab", "expected an object of sections, got a string"],
		[[{}], "expected an object of sections, got an array"],
		[{ nest: 3 }, "nest: expected an object of option definitions, got a number"],
		[{ nest: { eggs: null } }, "nest.eggs: expected the definition of an option, got null"],
	] as const) {
		assert.equal(refusalOfOptions(options), begin + problem);
	}
	for (const section of ["Bad-Name", "__proto__"]) {
		const options = Object.fromEntries([[section, {}]]);
		assert.match(
			refusalOfOptions(options),
			new RegExp(`"nests": ${section}: names must consist of lower-case letters, digits and underscores`),
		);
	}
});

test("a refused section causes no further problem", () => {
	const problems = problemsOf({
		features: [bare("nests", { options: { nest: { "big-eggs": eggs } } })],
		nest: { "big-eggs": 0, straw: 1 },
	});
	assert.equal(problems.length, 1, problems.join("\n"));
	const second = problemsOf({ features: [perch, bare("nests", { options: { perch: { eggs } } })], perch: { seats: 1 } });
	assert.deepEqual(second, ['features[1]: options of "nests": the feature "birds" has a section "perch"; choose another name']);
	for (const [section, value] of Object.entries({ audit: { keep_days: 7 }, packs: ["packs"] })) {
		const taken = problemsOf({ features: [bare("nests", { options: { [section]: { eggs } } })], [section]: value });
		assert.equal(taken.length, 1, taken.join("\n"));
	}
});

test("sections and options may have the names of members of every object", () => {
	const nests = bare("nests", { options: { constructor: { constructor: eggs, value_of: eggs } } as unknown as OptionSections });
	const { options } = withPerch({ features: [nests] });
	assert.deepEqual(options["constructor" as keyof typeof options], { constructor: 1, value_of: 1 });
	const given = withPerch({ features: [nests], constructor: { constructor: 5 } } as unknown as SvcConfig).options;
	assert.deepEqual(given["constructor" as keyof typeof given], { constructor: 5, value_of: 1 });
});

test("options whose variables belong to a feature of this package or to runs are refused", () => {
	const meaning = (variable: string) => new RegExp(`the environment variable ${variable} is already used; choose another name`);
	assert.match(refusalOfOptions({ audit_keep: { days: eggs } }), meaning("SVC_AUDIT_KEEP_DAYS"));
	assert.match(refusalOfOptions({ action: { eggs } }), meaning("SVC_ACTION_EGGS"));
	assert.match(refusalOfOptions({ action_eggs: { count: eggs } }), meaning("SVC_ACTION_EGGS_COUNT"));
	assert.equal(refusalOf([bare("audit", { options: { audit: { keep_days: eggs } } as OptionSections })]), "");
});

test("definitions of options that cannot be used are refused", () => {
	const refused = refusalOfOptions;
	assert.equal(refused({ nest: { eggs } }), "");
	for (const [member, problem] of [
		[{ type: "int" }, 'type: unknown value "int"; allowed: boolean, integer, number, string, list'],
		[{ type: undefined }, "type: expected one of boolean, integer, number, string, list, got nothing"],
		[{ minimum: "1" }, 'minimum: expected a number, got "1"'],
		[{ maximum: null }, "maximum: expected a number, got null"],
		[{ secret: 1 }, "secret: expected true or false, got 1"],
		[{ choices: "ab" }, 'choices: expected an array of strings, got "ab"'],
		[{ alias_of: "egg" }, 'alias_of: unknown value "egg"; did you mean "eggs"? allowed: eggs, straw'],
	] as const) {
		const options = { nest: { eggs, straw: eggs, more: { ...eggs, ...member } } };
		assert.equal(refused(options), `features[0]: options of "nests": nest.more: ${problem}`);
	}
	assert.equal(refused({ nest: { eggs, more: { ...eggs, alias_of: "eggs" } } }), "");
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
