import * as assert from "node:assert/strict";
import { test } from "uvu";
import { Dialects } from "./dialects.ts";

const first = {
	description: "Says things in an old way.",
	runnerTypes: { "run-it": "local-shell-cmd" },
	triggerTypes: { "core.old.webhook": "core.svc.webhook" },
	attributes: { action: { about: "description", script: "entry_point" } },
	names: { oldkv: "svckv" },
	environment: { OLD_TOKEN: "SVC_ACTION_AUTH_TOKEN", OLD_PACK: "SVC_ACTION_PACK_NAME" },
	pythonPath: "/old/python",
};
const second = { description: "Knows the same words.", runnerTypes: { "run-it": "noop", "run-there": "remote-shell-cmd" } };
const dialects = new Dialects([first, second]);

test("a file says its attributes, runner type and trigger in words of another service, in the order in which they stand", () => {
	const metadata = { name: "greet", about: "Greets.", runner_type: "run-it", script: "greet.sh" };
	const translated = dialects.translate("action", metadata);
	assert.deepEqual(Object.entries(translated), [
		["name", "greet"],
		["description", "Greets."],
		["runner_type", "local-shell-cmd"],
		["entry_point", "greet.sh"],
	]);
	assert.equal(metadata.about, "Greets.");
	assert.deepEqual(dialects.translate("rule", { trigger: { type: "core.old.webhook", parameters: { url: "x" } }, about: "?" }), {
		trigger: { type: "core.svc.webhook", parameters: { url: "x" } },
		about: "?",
	});
});

test("a word that two dialects know has the meaning of the first one", () => {
	assert.deepEqual([dialects.runnerType("run-it"), dialects.runnerType("run-there")], ["local-shell-cmd", "remote-shell-cmd"]);
});

test("filters and resources may be named in words of another service", () => {
	assert.deepEqual(dialects.runnerTypes(["run-it", "noop"]), ["local-shell-cmd", "noop"]);
	assert.equal(dialects.triggerTypes("core.old.webhook"), "core.svc.webhook");
	assert.equal(dialects.resourceUid("trigger_type:core:old.webhook"), "trigger_type:core:svc.webhook");
	assert.equal(dialects.resourceUid("runner_type:run-it"), "runner_type:local-shell-cmd");
	for (const uid of [
		"trigger_type:mine:old.webhook",
		"runner_type:noop",
		"action:core:run-it",
		"pack:run-it",
		"runner_type",
		"trigger_type:core",
	]) {
		assert.equal(dialects.resourceUid(uid), uid);
	}
});

test("this service's own words are understood as they are, and so is what looks like a member of every object", () => {
	for (const name of ["local-shell-cmd", "constructor", "__proto__", "toString", ""]) {
		assert.equal(dialects.runnerType(name), name);
		assert.equal(dialects.triggerType(name), name);
	}
	const hostile = JSON.parse('{"__proto__": {"runner_type": "run-it"}, "constructor": 1, "trigger": 7, "runner_type": ["run-it"]}');
	assert.deepEqual(dialects.translate("action", hostile), hostile);
	assert.deepEqual(dialects.translate("rule", hostile), hostile);
});

test("a file that says the same by both names is refused", () => {
	assert.throws(() => dialects.translate("action", { about: "a", description: "b" }), {
		code: "SVC_INVALID",
		message: 'attribute "about" is an alias of "description"; give only one of them',
	});
});

test("variables of a run have both names, those that are not there neither", () => {
	const variables = { SVC_ACTION_PACK_NAME: "core", OLD_TOKEN: "own" };
	assert.deepEqual(dialects.environment(variables), { SVC_ACTION_PACK_NAME: "core", OLD_PACK: "core", OLD_TOKEN: "own" });
});

test("what a dialect makes of a file comes after its tables and before the next dialect", () => {
	const seen: string[] = [];
	const watching = (name: string) => ({
		description: name,
		attributes: { action: { [`${name}-text`]: "description" } },
		normalize(kind: string, metadata: object) {
			seen.push(`${name} ${kind} ${Object.keys(metadata).join()}`);
			return { ...metadata, [name]: true };
		},
	});
	const both = new Dialects([watching("one"), watching("two")]);
	assert.deepEqual(both.translate("action", { "one-text": "x" }), { description: "x", one: true, two: true });
	assert.deepEqual(seen, ["one action description", "two action description,one"]);
});

test("without dialects nothing changes", () => {
	const metadata = { runner_type: "run-it", about: "x" };
	assert.equal(Dialects.none.translate("pack", metadata), metadata);
	assert.deepEqual([Dialects.none.names, Dialects.none.pythonPaths], [{}, []]);
});

test.run();
