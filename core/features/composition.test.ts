import * as assert from "node:assert/strict";
import { test } from "uvu";
import { entityKinds, isSvcError, SvcError } from "../contract/index.ts";
import { startEngine } from "../testing/engine/engine.test-support.ts";
import { findFeatureProblems } from "./composition.ts";
import { defineFeature, type FeaturePlugin } from "./feature-plugin.ts";

/** A feature without content. */
function plain(name: string, requires: readonly string[] = [], created: FeaturePlugin["create"] = () => ({ api: {} })): FeaturePlugin {
	return { kind: "feature", name, requires, create: created };
}

const problemsOf = (...plugins: readonly FeaturePlugin[]) => findFeatureProblems(plugins, (name) => `add ${name}`);

test("a feature is created after those that it requires, and gets them and no others", async () => {
	const received: [name: string, features: readonly string[]][] = [];
	const noted = (name: string, requires: readonly string[]) =>
		plain(name, requires, (_kernel, features) => {
			received.push([name, Object.keys(features)]);
			return { api: {} };
		});
	const features = [noted("leaf", ["branch", "packs"]), noted("branch", ["trunk"]), noted("trunk", [])];
	const { stop } = await startEngine({ options: { features } });
	await stop();
	assert.deepEqual(received, [
		["trunk", []],
		["branch", ["trunk"]],
		["leaf", ["packs", "branch"]],
	]);
});

test("a missing feature is named with how to add it, and so is a name that is taken", () => {
	assert.deepEqual(problemsOf(plain("leaf", ["branch", "packs"]), plain("fruit", ["leaf"])), [
		'features[0]: "leaf" needs the feature "branch"; hint: add branch',
	]);
	assert.deepEqual(problemsOf(plain("packs")), ['features[0]: the feature "packs" is built in; choose another name']);
});

test("a feature that would replace a member of the engine is refused", async () => {
	const features = [plain("other", [], () => ({ api: { rules: {} } }))];
	await assert.rejects(startEngine({ options: { features } }), /"other" adds the member "rules" to the engine, which "rules" already adds/);
	const second = [plain("other", [], () => ({ api: { executions: 1 } }))];
	await assert.rejects(
		startEngine({ options: { features: second } }),
		/"other" adds the member "executions" to the engine, which is built in/,
	);
});

test("a feature that cannot be created is named", async () => {
	const create = () => {
		throw new Error("the directory is not there");
	};
	await assert.rejects(
		startEngine({ options: { features: [plain("archive", [], create)] } }),
		/features: "archive" cannot be created: the directory is not there/,
	);
});

test("a feature is named if what its create returns is no feature", async () => {
	for (const created of [{}, undefined, { api: null }, { api: [] }, 3]) {
		const features = [plain("archive", [], () => created as never)];
		await assert.rejects(
			startEngine({ options: { features } }),
			/features: "archive" cannot be created: create must return an object with an object "api"/,
		);
	}
});

test("the facts of a problem that create throws are kept", async () => {
	const facts = { problems: ["archive.path: is not there"] };
	const create = () => {
		throw new SvcError("SVC_CONFIG", "archive.path: is not there", { facts });
	};
	await assert.rejects(startEngine({ options: { features: [plain("archive", [], create)] } }), (error) => {
		assert.ok(isSvcError(error, "SVC_CONFIG"));
		assert.deepEqual(error.facts, facts);
		return true;
	});
});

test("a feature that would replace a member of the engine that is a symbol is refused", async () => {
	const features = [plain("other", [], () => ({ api: { [Symbol.asyncDispose]: async () => {} } }))];
	await assert.rejects(
		startEngine({ options: { features } }),
		/"other" adds the member "Symbol\(\w+\.asyncDispose\)" to the engine, which is built in/,
	);
});

test("permissions that two features define differently are refused", () => {
	const define = (verbs: readonly string[]) =>
		defineFeature({ name: "pebbles", permissions: { pebble: { verbs } } as never, create: () => ({ api: {} }) });
	define(["list"]);
	define(["list"]);
	assert.throws(() => define(["list", "view"]), /permissions of "pebble" are already defined differently/);
});

test("features that need each other are named", () => {
	assert.deepEqual(problemsOf(plain("hen", ["egg"]), plain("egg", ["hen"]), plain("fox", ["packs"])), [
		'features: "hen", "egg" cannot be created, because they require each other',
	]);
	assert.deepEqual(problemsOf(plain("fox", ["packs"])), []);
});

test("a kind that another feature has defined with other fields is refused", () => {
	const define = (fields: object) => () =>
		defineFeature({ name: "stones", kinds: { stone: { fields } } as never, create: () => ({ api: {} }) });
	define({ id: "text" })();
	define({ id: "text" })();
	assert.throws(define({ id: "text", weight: "real" }), /kind "stone" is already defined by another feature/);
	assert.throws(
		() => defineFeature({ name: "pack", kinds: { pack: { fields: {} } } as never, create: () => ({ api: {} }) }),
		/kind "pack" is built in and cannot be registered/,
	);
	delete (entityKinds as Record<string, unknown>)["stone"];
});

test.run();
