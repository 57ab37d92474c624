import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withRules } from "../../features/rules/rules.test-support.ts";
import type { TraceView } from "../../features/traces/traces-exports.ts";
import { createRandom } from "../../testing/guarantees/random.test-support.ts";

/** What an event sets off: executions of these actions, each with what its end sets off. */
interface Expected {
	readonly rule: string;
	readonly action: string;
	readonly next: readonly Expected[];
}

const maximumDepth = 4;

/** The tree that a trace holds, from its components and their causes. */
function toTree({ instances, rules, executions }: TraceView): readonly Expected[] {
	const under = (instanceId: string): readonly Expected[] =>
		rules
			.filter(({ caused_by }) => caused_by?.id === instanceId)
			.flatMap((rule) =>
				executions
					.filter(({ caused_by }) => caused_by?.id === `${rule.object_id}:${instanceId}`)
					.map((execution) => ({
						rule: rule.ref,
						action: execution.ref,
						next: instances.filter(({ caused_by }) => caused_by?.id === execution.object_id).flatMap(({ object_id }) => under(object_id)),
					})),
			);
	return instances.filter(({ caused_by }) => caused_by === undefined).flatMap(({ object_id }) => under(object_id));
}

function sorted(tree: readonly Expected[]): readonly Expected[] {
	const copies = tree.map((node) => ({ ...node, next: sorted(node.next) }));
	return copies.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
	test(`the trace of a generated graph of rules is what the generator knows (${seed})`, () =>
		withRules(
			async ({ engine, addRule, dispatch, quiet }) => {
				const random = createRandom(seed);
				const names = ["a", "b", "c", "d", "e"];
				for (const name of names) await engine.actions.create({ name, runner_type: "scripted" });
				// Edges in both directions make trees, diamonds and cycles; each is a rule on the end of an action.
				const edges = names.flatMap((from) => [names[random(5)] ?? "a", names[random(5)] ?? "b"].map((to) => ({ from, to })));
				const byAction = new Map<string, { rule: string; action: string }[]>();
				for (const { from, to } of edges.slice(0, 6)) {
					const rule = await addRule({
						trigger: { type: "core.svc.generic.actiontrigger" },
						criteria: { "trigger.action_ref": { type: "equals", pattern: `default.${from}` } },
						action: { ref: `default.${to}` },
					});
					const action = `default.${from}`;
					byAction.set(action, [...(byAction.get(action) ?? []), { rule, action: `default.${to}` }]);
				}
				const start = { rule: await addRule({ action: { ref: "default.a" } }), action: "default.a" };
				const grow = ({ rule, action }: { rule: string; action: string }, depth: number): Expected => ({
					rule,
					action,
					next: depth + 1 >= maximumDepth ? [] : (byAction.get(action) ?? []).map((edge) => grow(edge, depth + 1)),
				});
				const { trace_id } = await dispatch();
				await quiet();
				const view = await engine.traces.get(trace_id);
				assert.deepEqual(sorted(toTree(view)), sorted([grow(start, 0)]));
				const found = [...view.executions, ...view.rules, ...view.instances].length;
				assert.ok(found > 2);
			},
			{ options: { rules: { depth_limit: maximumDepth, loop_limit: 10_000 } } },
		));
}

test("traces are found by tag, execution, rule and event", () =>
	withRules(async ({ engine, addRule, processed, started }) => {
		const ref = await addRule();
		const event = { trigger: "default.happening", payload: { n: 1 }, trace: { trace_tag: "ticket" } };
		const { instance } = await engine.dispatcher.dispatch(event);
		await engine.dispatcher.dispatch(event);
		await processed(instance.id);
		const { rule } = await engine.rules.get(ref);
		const [execution] = (await started()).filter(({ trigger_instance_id }) => trigger_instance_id === instance.id);
		const find = async (filter: Parameters<typeof engine.traces.list>[0]) =>
			(await engine.traces.list(filter, {})).items.map(({ trace }) => trace.id);
		assert.equal((await find({ trace_tag: "ticket" })).length, 2);
		assert.deepEqual(await find({ trigger_instance: instance.id }), [instance.trace_id]);
		assert.deepEqual(await find({ execution: execution?.id ?? "" }), [instance.trace_id]);
		assert.ok((await find({ rule: rule.id })).includes(instance.trace_id));
		assert.deepEqual(await find({ trace_tag: "other" }), []);
	}));

test("an execution that somebody starts has a trace of its own", () =>
	withRules(async ({ engine, submit, settled }) => {
		const execution = await settled((await submit()).id);
		const { trace, executions, rules, instances } = await engine.traces.get(execution.trace_id);
		assert.equal(trace.trace_tag, `execution-${execution.liveaction_id}`);
		assert.deepEqual(
			executions.map(({ object_id, caused_by }) => [object_id, caused_by]),
			[[execution.id, undefined]],
		);
		assert.deepEqual([rules.length, instances.length], [0, 0]);
	}));

test.run();
