import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SvcError, type TaskState } from "../../contract/index.ts";
import type { ExecutionClient, ExecutionRecord } from "./client.ts";
import { LabelledLines } from "./follow-run.ts";
import type { OutputChunkRecord } from "./output-client.ts";
import { tailTasks } from "./tail-tasks.ts";
import { readTaskTree, toTaskLines, toTaskText } from "./task-tree.ts";

const task = (name: string, execution_ids: readonly string[], changes: Partial<TaskState> = {}): TaskState => ({
	...{ id: name, name, route: 0, status: "succeeded", action: `a.${name}`, attempts: 1, execution_ids, items: null, next: [] },
	...{ start_timestamp: "2031-03-04T09:15:02.000000Z", end_timestamp: "2031-03-04T09:15:03.500000Z" },
	...changes,
});

/** A client of a service with these workflows, by the ids of their executions; what it was asked for is kept. */
function createClient(workflows: Readonly<Record<string, readonly TaskState[]>>, states: Readonly<Record<string, string>> = {}) {
	const asked: string[] = [];
	const executions = {
		async get(id: string) {
			asked.push(id);
			const isWorkflow = Object.hasOwn(workflows, id);
			const record = { id, status: states[id] ?? "succeeded", action: { ref: `a.${id}` }, liveaction: { action_is_workflow: isWorkflow } };
			return record as unknown as ExecutionRecord;
		},
		async tasks(id: string, { offset = 0 }: { readonly offset?: number } = {}) {
			const all = workflows[id] ?? [];
			// One at a time, to have several pages.
			return { items: all.slice(offset, offset + 1), total: all.length, limit: 1 };
		},
	};
	return { asked, executions: executions as unknown as ExecutionClient["executions"] };
}

const workflows = {
	root: [task("build", ["inner"]), task("noop", [], { action: null }), task("each", ["e1", "e2", "e3"], { items: counts(2, 1) })],
	inner: [task("compile", ["c1"], { status: "running", end_timestamp: null })],
};

function counts(succeeded: number, failed: number) {
	return { total: succeeded + failed, succeeded, failed, active: 0 };
}

test("tasks are drawn as a tree, those of workflows below them, and of several executions those that need a look", async () => {
	const { executions } = createClient(workflows, { e2: "failed" });
	assert.deepEqual(toTaskLines(await readTaskTree(executions, "root")).map(toTaskText), [
		"├─ build succeeded 1.50 s a.build",
		"│  └─ compile running a.compile",
		"├─ noop succeeded 1.50 s",
		"└─ each succeeded (2 of 3) 1.50 s a.each",
		"   └─ #2 failed a.e2",
	]);
});

test("levels that are not asked for are not read", async () => {
	const { executions, asked } = createClient({ root: [task("build", ["inner"])], inner: [] });
	assert.deepEqual(toTaskLines(await readTaskTree(executions, "root", { depth: 1 })).length, 1);
	assert.deepEqual(asked, []);
	assert.deepEqual(await readTaskTree(executions, "root", { depth: 0 }), []);
});

test("a workflow that holds itself is read so far and no further", async () => {
	const { executions, asked } = createClient({ root: [task("again", ["root"])] });
	assert.equal(toTaskLines(await readTaskTree(executions, "root")).length, 100);
	assert.equal(asked.length, 99);
});

test("lines of output get the name of their task, whole lines at a time", () => {
	const lines = new LabelledLines();
	const add = (label: string, data: string, output_type: "stdout" | "stderr" = "stdout") =>
		lines.add({ label, chunk: { execution_id: label, output_type, data } as OutputChunkRecord });
	assert.equal(add("a", "one\ntw"), "a | one\n");
	assert.equal(add("b", "x"), "");
	assert.equal(add("a", "error\n", "stderr"), "a | error\n");
	assert.equal(add("a", "o\n\nthree\n"), "a | two\na | \na | three\n");
	assert.equal(add("b", "y".repeat(20_000)), `b | x${"y".repeat(20_000)}\n`);
	add("b", "rest");
	assert.deepEqual(lines.rest(), [{ type: "stdout", text: "b | rest\n" }]);
	assert.deepEqual(lines.rest(), []);
});

test("the output of all tasks is followed, also of workflows inside of it, until the workflow has ended", async () => {
	const { executions } = createClient(workflows);
	const followed: string[] = [];
	const client = {
		executions,
		async *followOutput(id: string) {
			yield { execution_id: id, output_type: "stdout", data: `${id}\n` };
		},
	} as unknown as ExecutionClient;
	let looks = 0;
	await tailTasks(client, "root", {
		signal: new AbortController().signal,
		hasEnded: async () => (looks += 1) > 1,
		interval: 0,
		onReconnect: () => {},
		onChunk: async ({ label, chunk }) => void followed.push(`${label} ${chunk.data.trim()}`),
	});
	assert.deepEqual(followed.sort(), ["build.compile c1", "each e1", "each#2 e2", "each#3 e3"]);
});

test("a service that is away for a moment is asked again, and an abort ends with its reason", async () => {
	const { executions } = createClient({ root: [task("one", ["a"]), task("two", ["b"])] });
	const { tasks } = executions;
	let failures = 0;
	const away: ExecutionClient["executions"]["tasks"] = async (...given) => {
		failures += 1;
		if (failures === 2) throw new SvcError("SVC_UNAVAILABLE", "nobody there");
		return tasks(...given);
	};
	const followed: string[] = [];
	const told: string[] = [];
	const client = {
		executions: { ...executions, tasks: away },
		async *followOutput(id: string) {
			yield { execution_id: id, output_type: "stdout", data: id };
		},
	} as unknown as ExecutionClient;
	const leave = new AbortController();
	const options = {
		...{ signal: leave.signal, hasEnded: async () => true, onReconnect: ({ message }: Error) => void told.push(message) },
		onChunk: async ({ label }: { readonly label: string }) => void followed.push(label),
	};
	await tailTasks(client, "root", options);
	assert.deepEqual([followed.sort(), told], [["one", "two"], ["nobody there"]]);
	const reason = new Error("left");
	const left = tailTasks(client, "root", { ...options, interval: 60_000, hasEnded: async () => false });
	setImmediate(() => leave.abort(reason));
	await assert.rejects(left, reason);
});

test("output that cannot be followed ends the look at it", async () => {
	const { executions } = createClient({ root: [task("one", ["a"])] });
	const client = {
		executions,
		// biome-ignore lint/correctness/useYield: it fails before
		async *followOutput() {
			throw new Error("no stream");
		},
	} as unknown as ExecutionClient;
	const options = { signal: new AbortController().signal, hasEnded: async () => true, onReconnect: () => {}, onChunk: async () => {} };
	await assert.rejects(tailTasks(client, "root", options), /no stream/);
});

test.run();
