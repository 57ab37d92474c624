import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { TriggerEntity } from "../../contract/index.ts";
import { triggerRefs } from "./trigger-type-refs-exports.ts";
import { readVisibleRules, readVisibleTitles } from "./visible-triggers-exports.ts";

const hook = { ref: "core.a", pack: "core", name: "a", type: triggerRefs.webhook, parameters: { url: "hello" } };
const timer = { ref: "core.b", pack: "core", name: "b", type: triggerRefs.intervalTimer, parameters: { unit: "hours", delta: 1 } };
const other = { ref: "disk.c", pack: "disk", name: "c", type: "disk.filled", parameters: { size: 9 } };
const stored = [hook, timer, other] as unknown as readonly TriggerEntity[];
const events = [
	...stored.map(({ ref, type }) => ({ trigger: ref, trigger_type: type })),
	{ trigger: "core.gone", trigger_type: hook.type },
];

/** Context of a caller with permissions such as `trigger_list`, `timer_view timer:core:b` or `rule_view disk` (for a pack). */
function callerWith(...permissions: readonly string[]) {
	const read: string[] = [];
	const rules = Array.from({ length: 150 }, (_, index) => ({ ref: `disk.r${index}`, pack: "disk", name: `r${index}`, trigger: hook.ref }));
	const triggers = {
		namesOf: async (refs: readonly string[]) => stored.filter(({ ref }) => refs.includes(ref)),
		async listByRef(refs: readonly string[]) {
			read.push(...refs);
			return stored.filter(({ ref }) => refs.includes(ref));
		},
		mask: async (masked: readonly TriggerEntity[]) => masked,
		rulesOf: async () => rules,
	};
	const allows = (_principal: unknown, permission: string, { uid = "", pack = "" }: { uid?: string; pack?: string } = {}) =>
		[permission, `${permission} ${uid}`, `${permission} ${pack}`].some((one) => permissions.includes(one));
	return { read, caller: { engine: { triggers: { triggers } }, guard: { allows }, principal: {} } as never };
}

for (const [permissions, titles] of [
	[[], ["deleted webhook"]],
	[["trigger_list"], ["webhook hello", "every hour", "disk.filled size=9", "deleted webhook"]],
	[["trigger_view trigger:disk:c"], ["disk.filled size=9", "deleted webhook"]],
	[["trigger_view disk"], ["disk.filled size=9", "deleted webhook"]],
	[["webhook_list"], ["webhook hello", "deleted webhook"]],
	[["webhook_view webhook:hello"], ["webhook hello", "deleted webhook"]],
	[["webhook_view webhook:other"], ["deleted webhook"]],
	[["timer_list"], ["every hour", "deleted webhook"]],
	[["timer_view timer:core:b"], ["every hour", "deleted webhook"]],
	[["timer_view core"], ["every hour", "deleted webhook"]],
] as const) {
	test(`a caller with ${permissions.join(", ") || "no permission"} sees the titles ${titles.join(", ")}`, async () => {
		const { caller } = callerWith(...permissions);
		assert.deepEqual([...(await readVisibleTitles(caller, events)).values()].sort(), [...titles].sort());
	});
}

test("parameters that the caller may not view are not read, except those of webhooks, whose URL decides", async () => {
	const { caller, read } = callerWith("timer_list");
	await readVisibleTitles(caller, events);
	assert.deepEqual(read, ["core.a", "core.b"]);
});

test("a webhook names at most 100 of the rules that the caller may view", async () => {
	const namesFor = async (...permissions: readonly string[]) =>
		(await readVisibleRules(callerWith(...permissions).caller, [hook])).get(hook.ref)?.length;
	assert.equal(await namesFor("rule_list"), 100);
	assert.equal(await namesFor("rule_view disk"), 100);
	assert.equal(await namesFor("rule_view rule:disk:r7"), 1);
	assert.equal(await namesFor(), 0);
});

test.run();
