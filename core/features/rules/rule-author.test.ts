import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { administrator, type RulesTest, testTrigger, withRules } from "./rules.test-support.ts";

/** Stands nowhere by chance. */
const limit = "limit-of-the-author";
const nobody = defineAuthBackend("nobody", () => ({ authenticate: async () => undefined }));
const named = (username: string): Principal => ({ ...administrator, username, isAdmin: false });
const [may, mayNot] = [named("may"), named("may_not")];

/** With an item of the datastore that one of two users may view. */
function withItem(run: (test: RulesTest) => Promise<void>): Promise<void> {
	const grants = [{ resource_uid: "key_value_pair:svckv.system:limit", permission_types: ["key_value_pair_view" as const] }];
	const roles = [{ name: "reader", permission_grants: grants }];
	const assignments = [
		{ username: "may", roles: ["reader"] },
		{ username: administrator.username, roles: ["admin"] },
	];
	const rbac = { enable: true, roles, assignments };
	return withRules(
		async (rules) => {
			await rules.engine.datastore.set("limit", { value: limit }, administrator);
			await run(rules);
		},
		{ options: { auth: { enable: true, backend: nobody() }, rbac } },
	);
}

const rule = {
	trigger: { type: testTrigger },
	action: { ref: "default.said" },
	enabled: true,
	criteria: { "trigger.n": { type: "equals", pattern: "{{ svckv.system.limit }}" } },
};

test("criteria read the items that the author of the rule may view", () =>
	withItem(async ({ engine, dispatch, processed, quiet, started }) => {
		await engine.rules.create({ ...rule, name: "allowed" }, may);
		await engine.rules.create({ ...rule, name: "curious" }, mayNot);
		await processed((await dispatch({ n: limit })).id);
		await quiet();
		assert.deepEqual(
			(await started()).map(({ rule_name }) => rule_name),
			["allowed"],
		);
		const { items } = await engine.enforcements.list({ status: "failed" }, {});
		assert.deepEqual(
			items.map(({ rule_ref }) => rule_ref),
			["default.curious"],
		);
		assert.ok(!JSON.stringify(items).includes(limit));
	}));

test("a test shows nothing of items that the tester or the author of the rule may not view", () =>
	withItem(async ({ engine }) => {
		const parameters = { text: "{{ svckv.system.limit }}" };
		const showing = { ...rule, criteria: {}, action: { ref: "default.said", parameters } };
		const triggerInstance = { trigger: testTrigger, payload: { n: limit } };
		await engine.rules.create({ ...showing, name: "allowed" }, may);
		await engine.rules.create({ ...showing, name: "curious" }, mayNot);
		const given = { ...showing, name: "given" };
		for (const [tested, tester, isShown] of [
			["default.allowed", may, true],
			["default.allowed", administrator, true],
			["default.allowed", mayNot, false],
			["default.curious", may, false],
			[given, may, true],
			[given, mayNot, false],
			[{ ...given, ...rule }, mayNot, false],
		] as const) {
			const outcome = await engine.rules.test({ rule: tested, triggerInstance }, tester);
			const expected = isShown ? { matched: true, parameters: { text: limit } } : { matched: false };
			assert.deepEqual(isShown ? outcome : { matched: outcome.matched }, expected);
		}
	}));

test("what a run of a rule starts reads what the rule's author may view, with its parent or without", () =>
	withItem(async ({ engine, dispatch, processed, quiet, started }) => {
		await engine.rules.create({ ...rule, name: "parent", criteria: {} }, mayNot);
		await processed((await dispatch({})).id);
		await quiet();
		const [parent] = await started();
		assert.deepEqual([parent?.user, parent?.author], ["svc", "may_not"]);
		const input = { action: "default.said", parameters: { text: "{{ svckv.system.limit }}" } };
		const ofRun = { ...named("svc"), author: "may_not" };
		const asChild = { ...input, context: { parent: { execution_id: parent?.id ?? "" } } };
		for (const [request, by] of [
			[input, ofRun],
			[asChild, ofRun],
			[asChild, named("svc")],
		] as const) {
			await assert.rejects(engine.executions.submit(request, by), /"may_not" does not have the permission/);
		}
		const { entity } = await engine.executions.submit(input, { ...named("svc"), author: "may" });
		assert.deepEqual([entity.parameters["text"], entity.author], [limit, "may"]);
		// A rule that it writes is the same author's.
		assert.equal((await engine.rules.create({ ...rule, name: "more" }, ofRun)).rule.user, "may_not");
	}));

test.run();
