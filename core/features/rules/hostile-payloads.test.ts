import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject } from "../../contract/index.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import { withRules } from "./rules.test-support.ts";

const polluted = JSON.parse(
	'{"n": 1, "__proto__": {"admin": true}, "constructor": {"name": "own"}, "list": [{"__proto__": 5}]}',
) as JsonObject;

test("members named like those of prototypes are members like any other", () =>
	withRules(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		const exists = (key: string) => ({ [key]: { type: "exists", pattern: true } });
		for (const [name, key] of Object.entries({ own_proto: "trigger.__proto__.admin", own_constructor: "trigger.constructor.name" })) {
			await addRule({ name, criteria: exists(key), action: { ref: "default.said", parameters: { text: `{{ ${key} }}` } } });
		}
		const text = "{{ trigger.toString is defined }} {{ trigger.hasOwnProperty is defined }} {{ trigger.n.constructor is defined }}";
		await addRule({ name: "others", action: { ref: "default.said", parameters: { text } } });
		for (const [index, key] of ["trigger.toString", "trigger.n.constructor", "trigger.hasOwnProperty", "trigger.list.length"].entries()) {
			await addRule({ name: `never_${index}`, criteria: exists(key) });
		}
		const { id } = await dispatch(polluted);
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		const acts = (await started()).map(({ rule_name, parameters }) => [rule_name, String(parameters["text"]).toLowerCase()]);
		assert.deepEqual(acts.sort(), [
			["others", "false false false"],
			["own_constructor", "own"],
			["own_proto", "true"],
		]);
		assert.equal(JSON.stringify((await engine.triggers.instances.get(id)).payload), JSON.stringify(polluted));
		const again = await engine.triggers.instances.reEmit(id, principal);
		assert.equal(
			JSON.stringify(again.payload),
			JSON.stringify({ ...polluted, __context: { original_id: id, re_emitted_by: { user: "maria", credential: null, reason: null } } }),
		);
		assert.equal(({} as { admin?: boolean }).admin, undefined);
	}));

test("what a payload holds is never rendered, neither in parameters nor in patterns", () =>
	withRules(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		await engine.datastore.set("pin", { value: "4711" }, principal);
		const attack = "{{ svckv.system.pin }}";
		await addRule({
			criteria: { "trigger.text": { type: "equals", pattern: "{{ trigger.copy }}" } },
			action: { ref: "default.said", parameters: { text: "{{ trigger.text }}", lines: ["{{ trigger.text }}", "{{ trigger.list }}"] } },
		});
		await processed((await dispatch({ text: attack, copy: attack, list: [attack] })).id);
		await quiet();
		const [act] = await started();
		assert.equal(act?.status, "succeeded");
		assert.deepEqual(act.parameters, { text: attack, lines: [attack, `['${attack}']`] });
		assert.ok(!JSON.stringify(act).includes("4711"));
	}));

test("patterns that would be searched for ever are given up soon, and other rules act", () =>
	withRules(async ({ engine, addRule, dispatch, processed }) => {
		const text = `${"a".repeat(50_000)}!`;
		const slow = { regex: "^(a+)+$", matchregex: "(a*)*b", matchwildcard: `${"*a".repeat(200)}b` };
		for (const [type, pattern] of Object.entries(slow)) {
			await addRule({ name: type, criteria: { "trigger.text": { type, pattern } } });
		}
		const good = await addRule({ name: "z_good", criteria: { "trigger.text": { type: "startswith", pattern: "a" } } });
		const began = performance.now();
		assert.equal((await processed((await dispatch({ text })).id)).status, "processed");
		assert.ok(performance.now() - began < 10_000);
		assert.equal((await engine.enforcements.list({ rule_ref: good, status: "succeeded" }, {})).total, 1);
		assert.equal((await engine.enforcements.list({ status: "succeeded" }, {})).total, 1);
	}));

test("payloads of 4 MB are processed, those of 200 levels refused", () =>
	withRules(async ({ addRule, dispatch, processed, quiet, started }) => {
		await addRule({
			criteria: { "trigger.text": { type: "endswith", pattern: "x" } },
			action: { ref: "default.said", parameters: { text: "{{ trigger.n }}" } },
		});
		await processed((await dispatch({ n: 1, text: "x".repeat(4_000_000) })).id);
		await quiet();
		assert.deepEqual(
			(await started()).map(({ parameters, result }) => [parameters["text"], result?.["error"]]),
			[["1", undefined]],
		);
		const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`) as JsonObject;
		await assert.rejects(dispatch(deep), (error) => isSvcError(error, "SVC_INVALID") && /payload/.test(error.message));
	}));

test("a stop in the middle of a burst loses nothing, and what it leaves is found again", () =>
	withRules(async ({ engine, storage, addRule, dispatch }) => {
		await addRule();
		const sent = await Promise.all(Array.from({ length: 300 }, () => dispatch()));
		await engine.stop();
		const instances = await storage.find("trigger_instance", {});
		assert.equal(instances.length, sent.length);
		assert.deepEqual(
			instances.filter(({ status }) => status !== "processed" && status !== "pending"),
			[],
		);
		const enforced = await storage.count("rule_enforcement", { status: "succeeded" });
		assert.equal(enforced, instances.filter(({ status }) => status === "processed").length);
	}));

test.run();
