import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { defineRunner, type ExecutionEntity, type WriteOperation } from "../../contract/index.ts";
import { toChildId } from "../executions/child-identity.ts";
import { until, withNodes } from "../nodes/nodes.test-support.ts";
import {
	answer,
	ask,
	limited,
	type Node,
	type NodeOptions,
	quick,
	reached,
	startFlows,
	statuses,
	submitFlow,
} from "./pausing.test-support.ts";

/** Whether a call of the storage writes a patch of an execution that is like this. */
function writes(
	method: string,
	values: readonly unknown[],
	id: string,
	isLike: (patch: Readonly<Record<string, unknown>>) => boolean,
): boolean {
	if (method !== "write") return false;
	return (values[0] as readonly WriteOperation[]).some(
		(operation) => "update" in operation && operation.id === id && isLike(operation.patch),
	);
}

/** Whether it writes that an execution is paused. */
const isPause = (method: string, values: readonly unknown[], id: string) => writes(method, values, id, ({ status }) => status === "paused");

/** Whether it writes the answer to a question. */
const isAnswer = (method: string, values: readonly unknown[], id: string) =>
	writes(method, values, id, ({ status }) => status === "succeeded");

/** Whether it writes that something was heard of a child, and nothing else of its parent. */
const isStir = (method: string, values: readonly unknown[], id: string) =>
	writes(method, values, id, (patch) => Object.keys(patch).join() === "stirred");

const races = {
	"before the runner says that it is paused": (node: () => Node, question: () => string): NodeOptions => ({
		onPause: () => void answer(node(), question()).catch(() => undefined),
	}),
	"while the pause is on its way to the storage": (node: () => Node, question: () => string): NodeOptions => ({
		onCall: async (method, values) => {
			if (isPause(method, values, parentOf(question()))) await answer(node(), question()).catch(() => undefined);
		},
	}),
	"and is on its way while the pause is stored": (node: () => Node, question: () => string): NodeOptions => {
		const answering: Promise<unknown>[] = [];
		return {
			onPause: () => void answering.push(answer(node(), question())),
			onCall: async (method, values) => {
				if (isAnswer(method, values, question())) await reached(node(), parentOf(question()), "paused");
			},
		};
	},
};

let asked = "";
const parentOf = (_question: string) => asked;

for (const [when, toOptions] of Object.entries(races)) {
	limited(`an answer wakes the parent that comes ${when}`, async () => {
		await withNodes(async (nodes) => {
			asked = "";
			let node: Node | undefined;
			const options = toOptions(
				() => node as Node,
				() => (asked === "" ? "" : toChildId(asked, "ask")),
			);
			node = await startFlows(nodes, { ...options, onWork: ({ execution_id }) => void (asked ||= execution_id) });
			const { id } = await submitFlow(node, [ask(), quick]);
			const ended = await node.settled(id);
			assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
			assert.equal(statuses(ended).at(-2), "running");
		});
	});
}

/** Asks a question, pauses for it, and has nothing left to wait for once it is answered; what is behind that it does when it goes on. */
const patient = defineRunner("patient", () => ({
	description: "Pauses for what has been answered already.",
	capabilities: { cancellation: true, recovery: true, workflow: true },
	parameters: {},
	definitions: {
		inspect: async () => [],
		graph: () => ({ nodes: [], edges: [] }),
		progress: () => ({ definition: null, tasks: [], variables: {}, errors: [] }),
	},
	async run({ saveState, children, request }) {
		await saveState({});
		const id = await children.start({ key: "ask", action: "core.ask" });
		for await (const { status } of children.changes()) if (status === "pending") break;
		await request("pause");
		await children.ended(id);
		return { succeeded: false, status: "paused", result: {} };
	},
	recover: async () => ({ succeeded: true, result: {} }),
}));

for (const isAsked of [false, true]) {
	limited(`a run that pauses for what is answered by then ${isAsked ? "waits for whoever asked for the pause" : "goes on"}`, async () => {
		await withNodes(async (nodes) => {
			const node = await nodes.startNode({ runners: [patient(), inquirer()] });
			await node.engine.actions.create({ name: "patient", runner_type: "patient" });
			const { id } = await node.submit({}, { action: "default.patient" });
			await reached(node, id, "pausing");
			const { context } = (await node.storage.get("execution", id)) as ExecutionEntity;
			if (isAsked) await node.storage.update("execution", id, { context: { ...context, paused_by: "maria" } }, {});
			await answer(node, toChildId(id, "ask"));
			if (isAsked) await node.settled(id, "paused");
			else assert.deepEqual(statuses(await node.settled(id)).slice(-4), ["pausing", "resuming", "running", "succeeded"]);
		});
	});
}

/** Whether a call of the storage claims what somebody has left for others to go on with. */
function isClaimOfLeft(method: string, values: readonly unknown[]): boolean {
	return method === "claim" && JSON.stringify(values[1]).includes('"resuming"');
}

/** Whether a call of the storage looks for what has been left by nodes that are gone. */
function isSweep(method: string, values: readonly unknown[]): boolean {
	return method === "find" && JSON.stringify(values[1]).includes("lease_expires_at");
}

limited("a claim that passes over a parent, as an answer is being stored with it just then, leaves it to nobody", async () => {
	await withNodes(async (nodes) => {
		let parent = "";
		let isLocked = false;
		let isPassedOver = false;
		let sweeps = 0;
		const node = await startFlows(nodes, {
			// As a database does that claims only what nobody else has locked: the answer has the row before the claim, and lets go of it after.
			onCall: async (method, values) => {
				if (isSweep(method, values)) sweeps += 1;
				if (isPassedOver || parent === "") return;
				if (isStir(method, values, parent)) {
					isLocked = true;
					await until(() => isPassedOver, "the claim has passed over the parent");
				}
				if (!isClaimOfLeft(method, values)) return;
				await until(() => isLocked, "the other answer has the parent");
				isPassedOver = true;
				values[1] = { ...(values[1] as object), limit: 0 };
			},
		});
		const { id } = await submitFlow(node, [ask("first"), ask("second")]);
		await node.settled(id, "paused");
		// The first one takes over whatever nobody holds, and the next that does is half a minute later.
		await until(() => sweeps > 1, "the first sweep is done");
		parent = id;
		await Promise.all([answer(node, toChildId(id, "first")), answer(node, toChildId(id, "second"))]);
		assert.equal((await node.settled(id)).status, "succeeded");
		assert.ok(isPassedOver);
	});
});

limited("many answers at once, on two nodes, leave nobody behind", async () => {
	await withNodes(async (nodes) => {
		const first = await startFlows(nodes);
		const second = await startFlows(nodes);
		const keys = Array.from({ length: 12 }, (_, index) => `ask-${index}`);
		const { id } = await submitFlow(
			first,
			keys.map((key) => ask(key)),
		);
		for (const key of keys) await reached(first, toChildId(id, key), "pending");
		await Promise.all(keys.map((key, index) => answer(index % 2 === 0 ? first : second, toChildId(id, key))));
		assert.equal((await first.settled(id)).status, "succeeded");
	});
});

test.run();
