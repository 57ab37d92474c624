import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { defineFeature, type FeaturePlugin } from "../../features/feature-plugin.ts";
import { isPermissionType } from "../../kernel/basics/permission-types.ts";
import { configWith } from "../../testing/config/config.test-support.ts";
import { resolveConfig } from "./resolve-config.ts";

/** A feature without anything, as a configuration in plain JavaScript may contain it. */
const bare = (name: string, members: Partial<FeaturePlugin> = {}): FeaturePlugin => ({
	kind: "feature",
	name,
	create: () => ({ api: {} }),
	...members,
});

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
	assert.match(message, /features: "one", "two" cannot be created, because some of them require each other/);
});

test("a feature with the name of a feature of core, or of another one, is refused", () => {
	assert.match(refusalOf([bare("rules")]), /features\[0\]: every service has a feature "rules"; choose another name/);
	assert.match(refusalOf([bare("one"), bare("one")]), /features\[1\]: feature "one" stands at features\[0\] already; names must be unique/);
});

test("what is no list of features is refused", () => {
	assert.match(refusalOf("webUi"), /features: expected an array of feature plugins, got "webUi"; hint: features: \[webUi\(\), audit\(\)\]/);
	assert.match(refusalOf([bare]), /features\[0\]: expected a feature, got a function, which has to be called to give a plugin/);
	assert.match(refusalOf([{ kind: "feature", name: "one" }]), /features\[0\]: expected a feature, got an object/);
});

test("a feature with a kind of entities of core is refused", () => {
	const kinds = { rule: { fields: {} } } as unknown as NonNullable<FeaturePlugin["kinds"]>;
	assert.match(refusalOf([bare("one", { kinds })]), /features: kind "rule" is one of the service/);
	assert.throws(() => defineFeature({ name: "one", kinds, create: () => ({ api: {} }) }), /kind "rule" is one of the service/);
});

test("a feature with permissions on records of core is refused", () => {
	const permissions = { rule: { verbs: ["dance"] } } as unknown as NonNullable<FeaturePlugin["permissions"]>;
	const problem = /permissions of "rule" are defined differently already/;
	assert.match(refusalOf([bare("one", { permissions })]), problem);
	assert.throws(() => defineFeature({ name: "one", permissions, create: () => ({ api: {} }) }), problem);
	assert.equal(isPermissionType("rule_dance"), false);
});

test.run();
