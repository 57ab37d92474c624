import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type JsonObject, SvcError } from "../../core/contract/index.ts";
import {
	type ChainContext,
	ChainFiles,
	type ChainOptions,
	createChainContext,
	createRunner,
	tasksOf,
	untilChild,
} from "./chain.test-support.ts";

const files = new ChainFiles();
test.after(() => files.remove());

const large = "x".repeat(10_000);
/** Goes in a circle once, mends a failure, publishes much and little, and is refused a task. */
const chain = {
	vars: { from: "{{ start }}" },
	chain: [
		{
			name: "a",
			ref: "t.a",
			parameters: { n: "{{ from }}" },
			publish: { big: "{{ a.parts[0].text }}", turn: "{{ a.turn }}" },
			"on-success": "b",
		},
		{ name: "b", ref: "t.b", parameters: { n: "{{ big | length }} {{ turn }}" }, "on-success": "a", "on-failure": "c" },
		{ name: "c", ref: "t.c", parameters: { n: "{{ b.turn }}" }, publish: { last: "{{ __results.a.turn }}" }, "on-success": "d" },
		{ name: "d", ref: "t.refused", "on-failure": "e" },
		{ name: "e", ref: "t.e", parameters: { n: "{{ last }} {{ turn }} {{ from }}" } },
	],
};
const firstTurn = { result: { turn: 1, parts: [{ text: large }] } };
const secondTurn = { result: { turn: 2, parts: [{ text: `${large}y` }] } };
const options: ChainOptions = {
	actionParameters: { start: 7 },
	onPrepare: ({ action }) => (action === "t.refused" ? new SvcError("SVC_INVALID", "no") : undefined),
	script: {
		a: [firstTurn, secondTurn],
		b: [{ result: { turn: 1 } }, { status: "failed", result: { turn: 2 } }],
	},
};

/** Without what differs from one time to the next. */
function toComparable({ tasks, ...result }: JsonObject): JsonObject {
	const kept = (tasks as readonly JsonObject[]).map(
		({ created_at: _from, updated_at: _to, execution_id: _id, liveaction_id: _live, ...task }) => task,
	);
	return { ...result, tasks: kept };
}

function toStarts({ children }: ChainContext) {
	return children.started.map(({ key, parameters }) => ({ key, parameters }));
}

const file = files.write(chain);
const whole = createChainContext(file, options);
const expected = await createRunner().run(whole);

test("the whole chain runs as it should without anything in its way", () => {
	assert.equal(expected.succeeded, true);
	assert.deepEqual(tasksOf(expected), ["a succeeded", "b succeeded", "a succeeded", "b failed", "c succeeded", "d failed", "e succeeded"]);
	assert.deepEqual(whole.children.started.at(-1)?.parameters, { n: "2 2 7" });
	assert.deepEqual(toStarts(whole)[3], { key: "b.4", parameters: { n: "10001 2" } });
});

test("large texts that stand in a result are not written into the journal", () => {
	assert.ok(JSON.stringify(whole.entries).length < large.length, "the journal holds them");
});

for (const moment of ["before", "after"] as const) {
	test(`a chain that is taken away ${moment} any entry of its journal is stored goes on elsewhere, and no task runs twice`, async () => {
		for (let cut = 1; cut <= whole.entries.length; cut++) {
			const first = createChainContext(file, {
				...options,
				onAppend: () => (moment === "before" && entryIs(cut) ? first.lose() : undefined),
			});
			const entryIs = (number: number) => first.entries.length + 1 === number;
			const original = first.journal.append;
			const taken: ChainContext = {
				...first,
				journal: {
					...first.journal,
					async append(entry, step) {
						await original(entry, step);
						if (moment === "after" && first.entries.length === cut) first.lose();
					},
				},
			};
			// It has been asked to end, too, and may see that first.
			await createRunner()
				.run(taken)
				.catch((error: unknown) => assert.ok(isSvcError(error, "SVC_CONFLICT")));
			const second = createChainContext(file, { ...options, after: first });
			const end = await createRunner().recover?.(second, {});
			assert.equal(end?.succeeded, true, `after a cut at ${cut}`);
			assert.deepEqual(toComparable(end?.result ?? {}), toComparable(expected.result), `after a cut at ${cut}`);
			assert.deepEqual(toStarts(second), toStarts(whole), `after a cut at ${cut}`);
		}
	});
}

test("a chain that is left when the service stops goes on with the definition that it began with", async () => {
	const changing = files.write(chain);
	const first = createChainContext(changing, { ...options, script: { ...options.script, b: { status: "running" } } });
	const running = createRunner().run(first);
	await untilChild(first, { key: "b.2" });
	first.abort("shutdown");
	assert.equal((await running).status, "running");
	first.children.end("b.2", { status: "succeeded", result: { turn: 1 } });
	const second = createChainContext(files.write({ chain: [{ name: "other", ref: "t.other" }] }), {
		...options,
		script: { a: secondTurn, b: { status: "failed", result: { turn: 2 } } },
		after: first,
	});
	const end = await createRunner().recover?.(second, {});
	assert.deepEqual(tasksOf(end ?? { result: {} }), tasksOf(expected));
});

test.run();
