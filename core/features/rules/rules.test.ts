import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../contract/index.ts";
import { maskExecutionParameters } from "../../secrets/parameter-masking.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { administrator, testTrigger, withRules } from "./rules.test-support.ts";
import type { RuleInput } from "./rules-exports.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const rule: RuleInput = { name: "a", trigger: { type: testTrigger }, action: { ref: "default.said" } };
const hook = (name: string, url: string): RuleInput => ({ ...rule, name, trigger: { type: "core.svc.webhook", parameters: { url } } });

const refusals = [
	["an unknown trigger type", { trigger: { type: "core.nothing" } }, /trigger\.type: .*"core\.nothing"/],
	["a trigger without its parameters", { trigger: { type: "core.svc.webhook" } }, /trigger\.parameters.*url/],
	[
		"unknown trigger parameters",
		{ trigger: { type: "core.svc.IntervalTimer", parameters: { unit: "days", delta: 1, x: 1 } } },
		/trigger\.parameters.*"x"/,
	],
	["an unknown rule type", { type: { ref: "sometimes" } }, /type\.ref: "sometimes" must be one of standard, backstop/],
	["an unknown operator", { criteria: { "trigger.n": { type: "resembles", pattern: 1 } } }, /"trigger\.n"/],
	["a criterion without a pattern", { criteria: { "trigger.n": { type: "exists" } } }, /"trigger\.n".*pattern/],
	[
		"a pattern that is no regular expression",
		{ criteria: { "trigger.n": { type: "matchregex", pattern: "(web" } } },
		/criteria "trigger\.n" has a pattern that matchregex cannot use: the regular expression cannot be read/,
	],
	[
		"one in a search",
		{ criteria: { "trigger.n": { type: "search", condition: "any", pattern: { "item.a": { type: "IRegex", pattern: "[" } } } } },
		/criteria "item\.a" has a pattern that iregex cannot use/,
	],
	["a number as a regular expression", { criteria: { "trigger.n": { type: "regex", pattern: 404 } } }, /must be a string/],
	["an action that is no ref", { action: { ref: "said" } }, /action\.ref: "said" must be/],
	[
		"a template that is not closed",
		{ action: { ref: "default.said", parameters: { to: [{ text: "{{ trigger.n" }] } } },
		/action\.parameters\.to\[0\]\.text: must be a valid template: .*\(line 1\); hint: /,
	],
	[
		"a template that asks half",
		{ action: { ref: "default.said", parameters: { n: "{% if trigger.n %}" } } },
		/action\.parameters\.n: must be a valid template/,
	],
	[
		"a pattern that is no template",
		{ criteria: { "trigger.n": { type: "equals", pattern: "{{ | }}" } } },
		/criteria\.trigger\.n\.pattern: must be a valid template/,
	],
	["a name with a slash", { name: "a/b" }, /name: "a\/b"/],
	["a mask where nothing is stored", { action: { ref: "default.said", parameters: { text: "********" } } }, /action\.parameters\.text/],
] as const;

exceptOnPostgres("a rule that could not work is refused, and the refusal names what is wrong", () =>
	withRules(async ({ engine }) => {
		for (const [what, input, problem] of refusals)
			await assert.rejects(
				engine.rules.create({ ...rule, ...input }, administrator),
				(error) => isSvcError(error, "SVC_INVALID") && problem.test(error.message),
				what,
			);
		assert.equal((await engine.rules.list({}, {})).total, 0);
	}),
);

exceptOnPostgres("a rule is off unless it says otherwise, and its action need not exist", () =>
	withRules(async ({ engine }) => {
		const { rule: created } = await engine.rules.create({ ...rule, action: { ref: "default.later" } }, administrator);
		assert.deepEqual([created.enabled, created.type, created.user], [false, "standard", "maria"]);
	}),
);

exceptOnPostgres("a pattern that a template makes is not looked at, and one that is stored already lets the rule be switched off", () =>
	withRules(async ({ engine, storage }) => {
		const criteria = { "trigger.n": { type: "regex", pattern: "({{ trigger.m }}" } };
		const { rule: made } = await engine.rules.create({ ...rule, enabled: true, criteria }, administrator);
		const broken = { "trigger.n": { type: "regex", pattern: "(web" } };
		await storage.update("rule", made.id, { criteria: broken });
		const off = await engine.rules.update(made.ref, { ...rule, enabled: false, criteria: broken }, administrator);
		assert.equal(off.rule.enabled, false);
		const other = { "trigger.m": { type: "regex", pattern: "(web" } };
		await assert.rejects(engine.rules.update(made.ref, { ...rule, criteria: other }, administrator), /"trigger\.m"/);
	}),
);

exceptOnPostgres("a second rule of a name is a conflict that names the first", () =>
	withRules(async ({ engine }) => {
		const { rule: first } = await engine.rules.create(rule, administrator);
		await assert.rejects(
			engine.rules.create({ ...rule, trigger: { type: "core.svc.webhook", parameters: { url: "x" } } }, administrator),
			(error) => isSvcError(error, "SVC_CONFLICT") && error.facts["conflict_id"] === first.id,
		);
	}),
);

test("rules with equal parameters share a trigger, which goes with the last of them", () =>
	withRules(async ({ engine }) => {
		const hooks = async () => (await engine.triggers.triggers.list({ type: "core.svc.webhook" })).map(({ ref }) => ref);
		const made = await Promise.all(["a", "b", "c"].map((name) => engine.rules.create(hook(name, "same"), administrator)));
		assert.equal(new Set(made.map(({ trigger }) => trigger?.ref)).size, 1);
		await engine.rules.update("default.a", hook("a", "other"), administrator);
		assert.equal((await hooks()).length, 2);
		await engine.rules.remove("default.b");
		assert.equal((await hooks()).length, 2);
		await engine.rules.remove("default.c");
		assert.deepEqual(await hooks(), [(await engine.rules.get("default.a")).trigger?.ref]);
		await engine.rules.remove("default.a");
		assert.deepEqual(await hooks(), []);
	}));

test("rules that come and go at once leave each a trigger", () =>
	withRules(async ({ engine }) => {
		const comeAndGo = async (name: string) => {
			await engine.rules.create(hook(name, "busy"), administrator);
			await engine.rules.remove(`default.${name}`);
		};
		const stay = async (name: string) => engine.rules.create(hook(name, "busy"), administrator);
		const names = Array.from({ length: 20 }, (_, index) => `rule_${index}`);
		await Promise.all(names.map((name, index) => (index % 2 === 0 ? comeAndGo(name) : stay(name))));
		const { items } = await engine.rules.list({}, {});
		assert.equal(items.length, 10);
		assert.ok(items.every(({ trigger }) => trigger !== undefined));
	}));

exceptOnPostgres("a secret parameter is shown masked, and the mask that comes back stands for it", () =>
	withRules(async ({ engine }) => {
		const secret = { ...rule, action: { ref: "default.said", parameters: { secret: "tops3cret" } } };
		const view = await engine.rules.create(secret, administrator);
		const [shown] = await engine.rules.mask([view]);
		assert.deepEqual(shown?.rule.action_parameters, { secret: "********" });
		const back = { ...rule, description: "new", action: { ref: "default.said", parameters: shown.rule.action_parameters } };
		const updated = await engine.rules.update("default.a", back, administrator);
		assert.deepEqual(updated.rule.action_parameters, { secret: "tops3cret" });
		await assert.rejects(
			engine.rules.update("default.a", { ...back, action: { ref: "default.scripted", parameters: { secret: "********" } } }, administrator),
			/action\.parameters\.secret/,
		);
		const outcome = await engine.rules.test({ rule: "default.a", triggerInstance: { trigger: testTrigger, payload: {} } }, administrator);
		assert.deepEqual(outcome, { matched: true, parameters: { secret: "********" } });
	}),
);

exceptOnPostgres("while a rule's action does not exist, none of the values for it are shown", () =>
	withRules(async ({ engine, settled, submit }) => {
		const { id } = await settled((await submit({ secret: "tops3cret" }, { action: "default.said" })).id);
		const parameters = { secret: "tops3cret", text: "plain" };
		await engine.rules.create({ ...rule, action: { ref: "default.said", parameters } }, administrator);
		await engine.actions.remove("default.said", { removeFiles: false });
		const [shown] = await engine.rules.mask([await engine.rules.get("default.a")]);
		assert.deepEqual(shown?.rule.action_parameters, { secret: "********", text: "********" });
		const { entity, snapshot } = await engine.executions.get(id);
		assert.equal(maskExecutionParameters(entity.parameters, snapshot)["secret"], "********");
		const input = { rule: "default.a", triggerInstance: { trigger: testTrigger, payload: { n: 1 } } };
		const tested = await engine.rules.test(input, administrator);
		assert.deepEqual(tested, { matched: true, parameters: shown.rule.action_parameters });
		const back = { ...rule, description: "new", action: { ref: "default.said", parameters: shown.rule.action_parameters } };
		assert.deepEqual((await engine.rules.update("default.a", back, administrator)).rule.action_parameters, parameters);
	}),
);

exceptOnPostgres("what a test shows holds no secret, also where a template has carried it", () =>
	withRules(async ({ engine }) => {
		const parameters = { secret: "tops3cret", text: "-u {{ secret }} {{ trigger.n }}" };
		await engine.rules.create({ ...rule, action: { ref: "default.said", parameters } }, administrator);
		const triggerInstance = { trigger: testTrigger, payload: { n: 1 } };
		const outcome = await engine.rules.test({ rule: "default.a", triggerInstance }, administrator);
		assert.deepEqual(outcome, { matched: true, parameters: { secret: "********", text: "-u ******** 1" } });
	}),
);

exceptOnPostgres("rules are found by what they are about", () =>
	withRules(async ({ engine }) => {
		await engine.rules.create({ ...rule, name: "one", enabled: true }, administrator);
		await engine.rules.create(hook("two", "x"), { ...administrator, username: "ann" });
		const find = async (filter: Parameters<typeof engine.rules.list>[0]) =>
			(await engine.rules.list(filter, {})).items.map((view) => view.rule.name);
		assert.deepEqual(await find({}), ["one", "two"]);
		assert.deepEqual(await find({ enabled: true }), ["one"]);
		assert.deepEqual(await find({ user: "ann" }), ["two"]);
		assert.deepEqual(await find({ trigger: "core.svc.webhook" }), ["two"]);
		assert.deepEqual(await find({ trigger: testTrigger }), ["one"]);
		assert.deepEqual(await find({ name: ["two", "three"], action: "default.said" }), ["two"]);
	}),
);

exceptOnPostgres("a test of a rule says which criterion does not hold, or what it would run with", () =>
	withRules(async ({ engine, dispatch, started }) => {
		const criteria = { "trigger.kind": { type: "equals", pattern: "a" } };
		const parameters = { text: "{{ trigger.kind }}" };
		await engine.rules.create({ ...rule, criteria, action: { ref: "default.said", parameters } }, administrator);
		const { id } = await dispatch({ kind: "a" });
		const stored = await engine.rules.test({ rule: "default.a", triggerInstance: id }, administrator);
		assert.deepEqual(stored, { matched: true, parameters: { text: "a" } });
		const rejected = { trigger: testTrigger, payload: { kind: "b" } };
		const missed = await engine.rules.test({ rule: { ...rule, criteria }, triggerInstance: rejected }, administrator);
		assert.deepEqual(!missed.matched && missed.failed, { key: "trigger.kind", operator: "equals", pattern: "a", value: "b" });
		const other = await engine.rules.test({ rule: "default.a", triggerInstance: { trigger: "core.other", payload: {} } }, administrator);
		assert.match(other.matched ? "" : other.reason, /"core\.other".*"default\.happening"/);
		const broken = { ...rule, action: { ref: "default.said", parameters: { text: "{{ trigger.missing.x }}" } } };
		const failed = await engine.rules.test({ rule: broken, triggerInstance: { trigger: testTrigger, payload: { n: 1 } } }, administrator);
		assert.match(failed.matched ? "" : failed.reason, /cannot be rendered/);
		await assert.rejects(engine.rules.test({ rule: "default.a", triggerInstance: "0".repeat(24) }, administrator), (error) =>
			isSvcError(error, "SVC_NOT_FOUND"),
		);
		assert.equal((await started()).length, 0);
	}),
);

test.run();
