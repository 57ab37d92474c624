import * as assert from "node:assert/strict";
import { test } from "uvu";
import { noop } from "../../../plugins-runner/noop/index.ts";
import { isSvcError } from "../../contract/index.ts";
import { administrator, testTrigger, withRules } from "./rules.test-support.ts";

/** Asks whether a number contains a text. */
const undecidable = { "trigger.n": { type: "contains", pattern: "x" } };
const input = (name: string) => ({ name, trigger: { type: testTrigger }, action: { ref: "default.said" }, enabled: true });

const equals = (pattern: string) => ({ "trigger.kind": { type: "equals", pattern } });

test("a rule whose criteria hold starts its action once, for the system user, in the trace of the event", () =>
	withRules(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
		const ref = await addRule({
			criteria: equals("a"),
			action: { ref: "default.said", parameters: { text: "{{ trigger.kind }}-{{ trigger.list[0] }}" } },
		});
		const { id, trace_id } = await dispatch({ kind: "a", list: ["x"] });
		assert.equal((await processed(id)).status, "processed");
		await quiet();
		const [execution, ...more] = await started();
		assert.equal(more.length, 0);
		assert.equal(execution?.status, "succeeded");
		assert.equal(execution.user, "svc");
		assert.equal(execution.trace_id, trace_id);
		assert.equal(execution.trigger_instance_id, id);
		assert.equal(execution.trigger_name, "happening");
		// Lists take all four for null where one of them is asked to be.
		assert.ok([execution.rule_name, execution.trigger_type_name].every((name) => typeof name === "string"));
		assert.equal(execution.parameters["text"], "a-x");
		const { rule } = await engine.rules.get(ref);
		assert.deepEqual(execution.context["rule"], { id: rule.id, name: rule.name });
		const { items } = await engine.enforcements.list({ rule_ref: ref }, {});
		assert.equal(items.length, 1);
		assert.equal(items[0]?.status, "succeeded");
		assert.equal(items[0].execution_id, execution.id);
	}));

test("rules that do not match, are off, or listen to something else leave nothing", () =>
	withRules(async ({ engine, addRule, dispatch, processed, started }) => {
		await addRule({ criteria: equals("b") });
		await addRule({ enabled: false });
		await addRule({ trigger: { type: "core.svc.generic.inquiry" } });
		assert.equal((await processed((await dispatch({ kind: "a" })).id)).status, "processed");
		assert.equal((await started()).length, 0);
		assert.equal((await engine.enforcements.list({}, {})).total, 0);
	}));

test("backstop rules act when no standard rule matches, by their own criteria", () =>
	withRules(async ({ addRule, dispatch, processed, started }) => {
		await addRule({ name: "standard", criteria: equals("a") });
		await addRule({ name: "backstop", type: { ref: "backstop" } });
		await addRule({ name: "other_backstop", type: { ref: "backstop" }, criteria: equals("c") });
		for (const kind of ["a", "b", "c"]) await processed((await dispatch({ kind })).id);
		const names = (await started()).map(({ rule_name }) => rule_name);
		assert.deepEqual(names, ["standard", "backstop", "backstop", "other_backstop"]);
	}));

for (const [what, rule, reason, executions] of [
	["an action that does not exist", { action: { ref: "default.missing" } }, /action "default\.missing" cannot be found/, 0],
	["an unknown parameter", { action: { ref: "default.said", parameters: { nothing: 1 } } }, /nothing/, 0],
	["a value of a wrong type", { action: { ref: "default.said", parameters: { outcome: "dance" } } }, /outcome/, 0],
	["a template that fails", { action: { ref: "default.said", parameters: { text: "{{ trigger.missing.deeper }}" } } }, /text/, 1],
	["a criterion that cannot be decided", { criteria: { "trigger.n": { type: "contains", pattern: "x" } } }, /trigger\.n/, 0],
] as const) {
	test(`${what} is told in a failed enforcement, and the other rules act`, () =>
		withRules(async ({ engine, addRule, dispatch, processed, quiet, started }) => {
			const ref = await addRule({ name: "a_bad_one", ...rule });
			await addRule({ name: "good" });
			const { id } = await dispatch();
			assert.equal((await processed(id)).status, "processed");
			await quiet();
			const { items } = await engine.enforcements.list({ rule_ref: ref }, {});
			assert.equal(items.length, 1);
			assert.equal(items[0]?.status, "failed");
			assert.equal(items[0].execution_id, null);
			assert.match(items[0].failure_reason ?? "", reason);
			assert.match(items[0].failure_reason ?? "", new RegExp(`default\\.a_bad_one.*${id}`));
			const ended = await started();
			assert.equal(ended.filter((execution) => execution.rule_name === "good" && execution.status === "succeeded").length, 1);
			assert.equal(ended.filter((execution) => execution.rule_name === "a_bad_one" && execution.status === "failed").length, executions);
		}));
}

test("changing, disabling and removing a rule counts for the next event", () =>
	withRules(async ({ engine, addRule, dispatch, processed, started }) => {
		const ref = await addRule({ name: "changing", criteria: equals("a") });
		const act = async (kind: string) => {
			const before = (await started()).length;
			await processed((await dispatch({ kind })).id);
			return (await started()).length - before;
		};
		assert.equal(await act("a"), 1);
		const input = { name: "changing", trigger: { type: "default.happening" }, action: { ref: "default.said" } };
		await engine.rules.update(ref, { ...input, criteria: equals("b"), enabled: true }, administrator);
		assert.deepEqual([await act("a"), await act("b")], [0, 1]);
		await engine.rules.update(ref, { ...input, enabled: false }, administrator);
		assert.equal(await act("b"), 0);
		await engine.rules.update(ref, { ...input, enabled: true }, administrator);
		assert.equal(await act("b"), 1);
		await engine.rules.remove(ref);
		assert.equal(await act("b"), 0);
	}));

test("whoever would have a rule act on an event once more is refused, and told what it has done", () =>
	withRules(async ({ addRule, dispatch, quiet, storage }) => {
		for (let count = 0; count < 2; count += 1) await addRule();
		for (let count = 0; count < 2; count += 1) await dispatch();
		await quiet();
		const acts = await storage.find("rule_enforcement", {});
		assert.equal(acts.length, 4);
		for (const act of acts) {
			const again = { ...act, id: "f".repeat(24), execution_id: null, status: "failed" } as const;
			await assert.rejects(storage.insert("rule_enforcement", [again]), (error) => {
				assert.ok(isSvcError(error, "SVC_CONFLICT"));
				assert.equal(error.facts["conflict_id"], act.id);
				return true;
			});
		}
	}));

test("what a rule has done, or could not do, is found by its id, whatever has become of the rule and its refs", () =>
	withRules(async ({ engine, addRule, dispatch, quiet, storage }) => {
		const act = async () => {
			const { trace_id } = await dispatch();
			await quiet();
			return trace_id;
		};
		const idOf = async (ref: string) => (await engine.rules.get(ref)).rule.id;
		const refsOf = async (id: string) => (await engine.enforcements.list({ rule_id: id }, {})).items.map(({ rule_ref }) => rule_ref);
		const id = await idOf(await addRule(input("one")));
		const traces = [await act()];
		await engine.rules.update("default.one", input("two"), administrator);
		traces.push(await act());
		// Others take its refs.
		const other = await idOf(await addRule(input("one")));
		const failing = await idOf(await addRule({ ...input("failing"), criteria: undecidable }));
		traces.push(await act());
		for (const ref of ["two", "one", "failing"]) await engine.rules.remove(`default.${ref}`);
		const late = await idOf(await addRule(input("two")));
		await act();

		assert.deepEqual(await refsOf(id), ["default.two", "default.two", "default.one"]);
		assert.deepEqual(await Promise.all([other, failing, late].map(refsOf)), [["default.one"], ["default.failing"], ["default.two"]]);
		const page = await engine.enforcements.list({ rule_id: id }, { limit: 1, offset: 1, orderBy: [["enforced_at", "asc"]] });
		assert.deepEqual([page.total, page.items.map(({ rule_ref }) => rule_ref)], [3, ["default.two"]]);
		assert.equal((await engine.enforcements.list({ rule_id: id, rule_ref: "default.two" }, {})).total, 2);
		assert.equal((await engine.enforcements.list({ rule_id: "none" }, {})).total, 0);
		const found = await engine.traces.list({ rule: id }, {});
		assert.deepEqual(found.items.map(({ trace }) => trace.id).sort(), traces.sort());

		// A node of an earlier version has let it act.
		await storage.remove("rule_ref", { where: { rule_id: late } });
		assert.deepEqual(await refsOf(late), ["default.two"]);
	}));

test("the end of an execution is an event, in its trace, told once", () =>
	withRules(async ({ engine, addRule, submit, settled, quiet, started }) => {
		const criteria = { "trigger.action_ref": { type: "eq", pattern: "default.first" } };
		await engine.actions.create({ name: "first", runner_type: "scripted" });
		await addRule({
			trigger: { type: "core.svc.generic.actiontrigger" },
			criteria,
			action: { ref: "default.said", parameters: { text: "{{ trigger.status }}" } },
		});
		const first = await submit({}, { action: "default.first" });
		await settled(first.id);
		await quiet();
		const [second, ...more] = await started();
		assert.equal(more.length, 0);
		assert.equal(second?.trace_id, first.trace_id);
		assert.equal(second.parameters["text"], "succeeded");
		const { items } = await engine.triggers.instances.list({ trigger: "core.svc.generic.actiontrigger" }, {});
		assert.deepEqual(
			items.map(({ caused_by_id, depth }) => [caused_by_id, depth]).sort(),
			[
				[first.id, 0],
				[second.id, 1],
			].sort(),
		);
	}));

test("no event is kept of an execution's end while no rule listens", () =>
	withRules(async ({ engine, submit, settled }) => {
		await settled((await submit()).id);
		assert.equal((await engine.triggers.instances.list({}, {})).total, 0);
	}));

test("notifications are events for each route, by the end of the execution", () =>
	withRules(async ({ engine, submit, settled, quiet }) => {
		const notify = {
			"on-complete": { routes: ["a", "b"], message: "ended {{ action_parameters.text }}", data: { n: "{{ action_context.user }}" } },
			"on-failure": { routes: ["alarm"] },
		};
		const one = await settled((await submit({ text: "x" }, { action: "default.said", notify })).id);
		await quiet();
		const { items } = await engine.triggers.instances.list({ trigger: "core.svc.generic.notifytrigger" }, {});
		assert.deepEqual(items.map(({ payload }) => payload["route"]).sort(), ["a", "b"]);
		for (const { payload, trace_id } of items) {
			assert.equal(payload["message"], "ended x");
			assert.equal(trace_id, one.trace_id);
			assert.deepEqual(payload["data"], { n: "maria", result: JSON.stringify(one.result) });
		}
		await settled((await submit({ outcome: "fail" }, { action: "default.said", notify: { on_failure: { channels: ["alarm"] } } })).id);
		const failed = await engine.triggers.instances.list({ trigger: "core.svc.generic.notifytrigger" }, { limit: 1 });
		assert.equal(failed.items[0]?.payload["message"], "default.said failed");
	}));

// Of the second kind nothing runs: what its end causes must not be counted before what it came of is stored.
for (const runner_type of ["scripted", "noop"]) {
	test(`a rule on every end of an execution comes to its end by itself: ${runner_type}`, () =>
		withRules(
			async ({ engine, addRule, submit, quiet, started }) => {
				await engine.actions.create({ name: "again", runner_type });
				await addRule({ name: "loop", trigger: { type: "core.svc.generic.actiontrigger" }, action: { ref: "default.again" } });
				await submit();
				await quiet();
				assert.equal((await started()).length, 5);
				const { items } = await engine.enforcements.list({ status: "failed" }, {});
				assert.equal(items.length, 1);
				assert.match(items[0]?.failure_reason ?? "", /loop guard: a chain of 5 rules.*rules\.depth_limit/);
			},
			{ runners: [noop()], options: { rules: { depth_limit: 5 } } },
		));
}

test("rules that multiply one another are stopped by their rate", () =>
	withRules(
		async ({ engine, addRule, submit, quiet, started }) => {
			for (const name of ["one", "two"]) await addRule({ name, trigger: { type: "core.svc.generic.actiontrigger" } });
			await submit();
			await quiet();
			const acts = (await started()).length;
			assert.ok(acts >= 20 && acts <= 60, String(acts));
			const { items } = await engine.enforcements.list({ status: "failed" }, {});
			assert.ok(items.every(({ failure_reason }) => /loop guard: .*rules\.loop_limit/.test(failure_reason ?? "")));
		},
		{ options: { rules: { loop_limit: 10 } } },
	));

test("an event sent again is a new one in a new trace, and rules act on it", () =>
	withRules(async ({ engine, addRule, dispatch, processed, started }) => {
		await addRule({ action: { ref: "default.said", parameters: { text: "{{ trigger.__context.original_id | default('none') }}" } } });
		const first = await dispatch();
		await processed(first.id);
		const again = await engine.triggers.instances.reEmit(first.id, { username: "maria" });
		await processed(again.id);
		assert.notEqual(again.trace_id, first.trace_id);
		assert.equal((await started()).length, 2);
		assert.deepEqual(again.payload, {
			n: 1,
			__context: { original_id: first.id, re_emitted_by: { user: "maria", credential: null, reason: null } },
		});
	}));

test("an event that concerns no rule is stored as processed, one that cannot be decided is not", () =>
	withRules(async ({ engine, addRule, dispatch, processed }) => {
		assert.equal((await dispatch({ n: 0 })).status, "pending");
		assert.equal((await engine.triggers.instances.list({}, {})).items[0]?.status, "processed");
		await addRule({ criteria: { "trigger.n": { type: "equals", pattern: 1 } } });
		const dismissed = await dispatch({ n: 2 });
		assert.equal((await engine.triggers.instances.get(dismissed.id)).status, "processed");
		await addRule({ criteria: { "trigger.n": { type: "lessthan", pattern: "x" } } });
		const undecided = await dispatch({ n: 2 });
		await processed(undecided.id);
		const { items } = await engine.enforcements.list({ trigger_instance_id: undecided.id }, {});
		assert.deepEqual(
			items.map(({ status }) => status),
			["failed"],
		);
	}));

test("of many rules that match one event each acts once", () =>
	withRules(async ({ engine, addRule, dispatch, processed, started }) => {
		for (let n = 0; n < 40; n += 1) await addRule();
		const { id } = await dispatch();
		assert.equal((await processed(id)).status, "processed");
		assert.equal((await engine.enforcements.list({ trigger_instance_id: id }, {})).total, 40);
		assert.equal((await started()).length, 40);
	}));

test("a burst of events is worked off, each once", () =>
	withRules(async ({ addRule, dispatch, quiet, started }) => {
		await addRule();
		await Promise.all(Array.from({ length: 400 }, (_, n) => dispatch({ n })));
		await quiet();
		const ids = (await started()).map((execution) => execution.trigger_instance_id);
		assert.equal(ids.length, 400);
		assert.equal(new Set(ids).size, 400);
	}));

test.run();
