// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { defineRunner, type ExecutionEntity, isSvcError, type JsonObject } from "../../contract/index.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { toChildId } from "../executions/child-identity.ts";
import { until, withNodes } from "../nodes/nodes.test-support.ts";
import { flowRunner } from "./flow-runner.test-support.ts";
import { answer, ask, hang, limited, nested, quick, reached, setStatus, startFlows, statuses, submitFlow } from "./pausing.test-support.ts";

/** What happens on one node. */
const onOneNode = (name: string, body: () => Promise<void>) => limited(name, body, exceptOn(postgresBackends, test));

/** Ends a child from outside, as an external worker would. */
async function complete(node: TestEngine, id: string): Promise<void> {
	await reached(node, id, "running");
	await setStatus(node, id, "succeeded");
}

limited("a run pauses when it is asked to, nobody holds it then, and it goes on when it is asked to", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes);
		const { id } = await submitFlow(node, [hang]);
		await reached(node, toChildId(id, "work"), "running");
		const pausing = await setStatus(node, id, "pausing");
		assert.deepEqual([pausing.entity.status, pausing.entity.context["paused_by"]], ["pausing", "maria"]);
		await complete(node, toChildId(id, "work"));
		const ended = await node.settled(id);
		assert.deepEqual([ended.status, statuses(ended)], ["succeeded", ["requested", "scheduled", "running", "pausing", "succeeded"]]);

		const other = await submitFlow(node, [nested("inner", [hang])]);
		const inner = toChildId(other.id, "inner");
		const work = toChildId(inner, "work");
		await reached(node, work, "running");
		await setStatus(node, other.id, "paused");
		await complete(node, work);
		await node.settled(inner);
		await node.settled(other.id);
	});
});

/** A flow that waits for two answers, and is paused. */
async function startAsking(node: TestEngine): Promise<{ readonly id: string; readonly question: string }> {
	const { id } = await submitFlow(node, [ask(), quick]);
	await node.settled(id, "paused");
	return { id, question: toChildId(id, "ask") };
}

limited("a paused run takes no lease, no place and no memory, and another node goes on with it after a restart", async () => {
	await withNodes(async (nodes) => {
		const first = await startFlows(nodes, { poolSize: 1 });
		const { id, question } = await startAsking(first);
		const { entity: paused } = await first.engine.executions.get(id);
		assert.deepEqual([paused.owner, paused.lease_expires_at], [null, null]);
		assert.ok(paused.run_state !== null && paused.fence !== null);
		assert.deepEqual(paused.result, { output: null });
		assert.equal((await first.settled((await first.submit()).id)).status, "succeeded");
		await first.stop();
		const second = await startFlows(nodes);
		assert.equal((await second.engine.executions.get(id)).entity.status, "paused");
		await answer(second, question);
		const ended = await second.settled(id);
		assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
		assert.deepEqual(statuses(ended), ["requested", "scheduled", "running", "pausing", "paused", "resuming", "running", "succeeded"]);
		assert.deepEqual(Object.keys(ended.result?.["output"] as JsonObject).sort(), ["ask", "quick"]);
		assert.deepEqual([ended.owner, ended.fence, ended.run_state], [null, null, null]);
	});
});

onOneNode("where there can be no other node, a run stays paused over a restart", async () => {
	const { storage, eventBus, release } = createBackend();
	const flows = async () => {
		const node = await startEngine({ storage, eventBus, runners: [flowRunner(), inquirer()] });
		await node.engine.actions.create({ name: "flow", runner_type: "flow" }).catch(() => undefined);
		return node;
	};
	try {
		const first = await flows();
		const { id, question } = await startAsking(first);
		await first.stop();
		const second = await flows();
		assert.equal((await second.engine.executions.get(id)).entity.status, "paused");
		await answer(second, question);
		const ended = await second.settled(id);
		assert.equal(ended.status, "succeeded");
		await second.stop();
	} finally {
		await release();
	}
});

onOneNode("a status that cannot be is refused with the reason, and asking again changes nothing", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes);
		const { id, question } = await startAsking(node);
		const refuses = (status: ExecutionEntity["status"], pattern: RegExp, of = id) =>
			assert.rejects(setStatus(node, of, status), (error) => isSvcError(error, "SVC_INVALID") && pattern.test(error.message));
		const before = (await node.engine.executions.get(id)).entity.log.length;
		for (const status of ["pausing", "paused"] as const) assert.equal((await setStatus(node, id, status)).entity.log.length, before);
		await refuses("running", /is "paused"; it can be resumed, canceled or completed/);
		await refuses("resuming", /does not support pause and resume/, question);
		const plain = await node.submit({ outcome: "hang" });
		await refuses("pausing", /does not support pause and resume/, plain.id);
		await node.engine.executions.cancel(plain.id, principal);
		const running = await submitFlow(node, [hang]);
		await reached(node, toChildId(running.id, "work"), "running");
		assert.equal((await setStatus(node, running.id, "resuming")).entity.status, "running");
		await setStatus(node, running.id, "pausing");
		await refuses("resuming", /it is "pausing", not paused/, running.id);
		const delayed = await node.submit({ steps: [] }, { action: "default.flow", delay: 60_000 });
		await refuses("pausing", /it is "\w+", not running/, delayed.id);
		await complete(node, toChildId(running.id, "work"));
		await node.settled(running.id);
		await refuses("pausing", /already completed/, running.id);
	});
});

onOneNode("a person's resume is named in the context, goes on with all paused children, and an answer is not", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes, { hasHeldWork: true });
		const { id } = await submitFlow(node, [nested("one", [ask()]), nested("two", [ask()])]);
		await node.settled(id, "paused");
		await answer(node, toChildId(toChildId(id, "one"), "ask"));
		await node.settled(toChildId(id, "one"));
		await until(
			async () => statuses((await node.engine.executions.get(id)).entity).filter((status) => status === "paused").length === 2,
			"paused again",
		);
		const { entity } = await node.engine.executions.get(id);
		assert.deepEqual(
			[entity.context["resumed_by"], (await node.engine.executions.get(toChildId(id, "two"))).entity.log.length],
			[undefined, 5],
		);
		await setStatus(node, id, "resuming");
		await until(
			async () =>
				statuses((await node.engine.executions.get(toChildId(id, "two"))).entity).filter((status) => status === "paused").length === 2,
			"the other one was resumed",
		);
		assert.equal((await node.engine.executions.get(id)).entity.context["resumed_by"], "maria");
		await answer(node, toChildId(toChildId(id, "two"), "ask"));
		assert.equal((await node.settled(id)).status, "succeeded");
	});
});

limited("a resume is refused on every node while all that is open waits for answers, and names the questions", async () => {
	await withNodes(async (nodes) => {
		const first = await startFlows(nodes);
		const { id } = await submitFlow(first, [ask("one"), nested("inner", [ask()]), quick]);
		await first.settled(id, "paused");
		const inner = toChildId(id, "inner");
		const [one, two] = [toChildId(id, "one"), toChildId(inner, "ask")];
		const second = await startFlows(nodes);
		for (const node of [first, second]) {
			for (const [of, questions] of [[id, [one, two]] as const, [inner, [two]] as const]) {
				const isRefused = (error: unknown) =>
					isSvcError(error, "SVC_CONFLICT") && questions.every((question) => error.message.includes(`"${question}"`));
				await assert.rejects(setStatus(node, of, "resuming"), isRefused);
				assert.equal((await node.engine.executions.get(of)).entity.status, "paused");
			}
		}
		await first.stop();
		await assert.rejects(setStatus(second, id, "resuming"), (error) => isSvcError(error, "SVC_CONFLICT"));
		await answer(second, one);
		await second.settled(id, "paused");
		await assert.rejects(setStatus(second, id, "resuming"), (error) => isSvcError(error, "SVC_CONFLICT") && !error.message.includes(one));
		await answer(second, two);
		assert.equal((await second.settled(id)).status, "succeeded");
	});
});

limited("a resume that comes with an answer is refused or does nothing, and the run goes on once", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes);
		for (let round = 0; round < 10; round += 1) {
			const { id, question } = await startAsking(node);
			const [, resumed] = await Promise.allSettled([answer(node, question), setStatus(node, id, "resuming")]);
			if (resumed.status === "rejected") {
				assert.ok(isSvcError(resumed.reason, "SVC_CONFLICT") || /already completed/.test(resumed.reason.message), resumed.reason.message);
			}
			const ended = await node.settled(id);
			assert.deepEqual([ended.status, statuses(ended).filter((status) => status === "resuming").length], ["succeeded", 1]);
		}
	});
});

limited("a paused run that is canceled ends what it is made of first, on whatever node", async () => {
	await withNodes(async (nodes) => {
		const first = await startFlows(nodes);
		const { id } = await submitFlow(first, [nested("inner", [ask()])]);
		await first.settled(id, "paused");
		await first.stop();
		const second = await startFlows(nodes);
		const { view } = await second.engine.executions.cancel(id, principal);
		assert.equal(view.entity.status, "canceling");
		assert.equal((await setStatus(second, id, "canceled").catch(() => undefined))?.entity.status ?? "canceled", "canceling");
		const ended = await second.settled(id);
		assert.deepEqual([ended.status, ended.result?.["user"]], ["canceled", "maria"]);
		const inner = await second.settled(toChildId(id, "inner"));
		assert.equal(inner.status, "canceled");
		assert.equal((await second.settled(toChildId(inner.id, "ask"))).status, "canceled");
	});
});

onOneNode("a child that is canceled while all are paused wakes its parent, up to the first one", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes);
		const { id } = await submitFlow(node, [nested("one", [ask()]), nested("two", [ask()])]);
		await node.settled(id, "paused");
		await node.engine.executions.cancel(toChildId(id, "one"), principal);
		assert.equal((await node.settled(id)).status, "canceled");
		assert.equal((await node.settled(toChildId(toChildId(id, "two"), "ask"))).status, "canceled");
	});
});

onOneNode("a chain of paused parents goes on with an answer at its end", async () => {
	await withNodes(async (nodes) => {
		const node = await startFlows(nodes);
		const { id } = await submitFlow(node, [nested("a", [nested("b", [ask()])])]);
		await node.settled(id, "paused");
		const [a, b] = [toChildId(id, "a"), toChildId(toChildId(id, "a"), "b")];
		await answer(node, toChildId(b, "ask"));
		for (const one of [b, a, id]) assert.equal((await node.settled(one)).status, "succeeded");
	});
});

limited("a pause that was asked for is found by whoever goes on with the run", async () => {
	await withNodes(async (nodes) => {
		const first = await startFlows(nodes);
		const { id } = await submitFlow(first, [hang, ask()]);
		await reached(first, toChildId(id, "work"), "running");
		await reached(first, toChildId(id, "ask"), "pending");
		first.door.shut();
		const seen: boolean[] = [];
		const second = await startFlows(nodes, { onWork: ({ pausing }) => void seen.push(pausing.aborted) });
		await setStatus(second, id, "pausing");
		// What cannot be found again has been abandoned by then.
		await second.settled(id, "paused");
		assert.deepEqual(seen, [true]);
		await answer(second, toChildId(id, "ask"));
		assert.equal((await second.settled(id)).status, "succeeded");
	});
});

limited("a pause of which no event comes is noticed all the same", async () => {
	await withNodes(async (nodes) => {
		const seen: boolean[] = [];
		const node = await startFlows(nodes, {
			isDeaf: true,
			onWork: ({ pausing }) => pausing.addEventListener("abort", () => seen.push(true)),
		});
		const { id } = await submitFlow(node, [hang]);
		await reached(node, toChildId(id, "work"), "running");
		await nodes.storage.update("execution", id, { status: "pausing" }, { status: "running" });
		await until(() => seen.length > 0, "it is noticed");
		await complete(node, toChildId(id, "work"));
		await node.settled(id);
	});
});

onOneNode("a runner that pauses unasked, without its capability or with nothing to go on with has failed", async () => {
	await withNodes(async ({ startNode }) => {
		const create = (name: string, capabilities: object, isAsking: boolean) =>
			defineRunner(name, () => ({
				description: "Pauses.",
				capabilities: { cancellation: true, recovery: true, ...capabilities },
				parameters: {},
				async run({ request }) {
					if (isAsking) await request("pause");
					return { succeeded: false, status: "paused", result: {} };
				},
				recover: async () => undefined,
			}))();
		const node = await startNode({
			runners: [create("plain", {}, false), create("unasked", { workflow: true }, false), create("forgetful", { workflow: true }, true)],
		});
		const expected = { plain: /does not have the capability workflow/, unasked: /no pause was requested/, forgetful: /saved no state/ };
		for (const [name, pattern] of Object.entries(expected)) {
			await node.engine.actions.create({ name, runner_type: name });
			const ended = await node.settled((await node.submit({}, { action: `default.${name}` })).id);
			assert.equal(ended.status, "failed");
			assert.match(String(ended.result?.["error"]), pattern);
		}
	});
});

test.run();
