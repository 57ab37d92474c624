import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineRunner, isSvcError, type RunContext, type RunResult, SvcError, type WriteOperation } from "../../../contract/index.ts";
import type { TestEngine } from "../../../testing/engine/engine.test-support.ts";
import type { OnCall } from "../../../testing/engine/shared-storage.test-support.ts";
import { toChildId } from "../../executions/child-identity.ts";
import { type NodesTest, until, withNodes } from "../../nodes/nodes.test-support.ts";

type Script = (context: RunContext) => Promise<RunResult | undefined>;

const done: RunResult = { succeeded: true, result: {} };

/** A runner that does what the test says, and another time when it is to go on. */
function journalRunner(script: Script, recover: Script = script) {
	return defineRunner("parent", () => ({
		description: "Does what a test says.",
		capabilities: { cancellation: true, recovery: true },
		parameters: { password: { type: "string", secret: true } },
		run: async (context) => (await script(context)) ?? done,
		recover: (context) => recover(context),
	}))();
}

async function startParent(
	{ startNode }: NodesTest,
	script: Script,
	{ onCall, recover }: { readonly onCall?: OnCall; readonly recover?: Script } = {},
) {
	const node = await startNode({ runners: [journalRunner(script, recover)], ...(onCall && { onCall }) });
	await node.engine.actions.create({ name: "parent", runner_type: "parent" }).catch(() => undefined);
	return node;
}

const submitParent = (node: TestEngine) => node.submit({}, { action: "default.parent" });

async function assertSucceeds(node: TestEngine): Promise<string> {
	const { id } = await submitParent(node);
	const ended = await node.settled(id);
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	return id;
}

const scripted = (key: string) => ({ key, action: "default.scripted", parameters: { lines: [key] } });

/** Whether a call of the storage writes an entry of a journal. */
function isEntry(method: string, values: readonly unknown[]): boolean {
	if (method !== "write") return false;
	return (values[0] as readonly WriteOperation[]).some((operation) => "insert" in operation && operation.insert === "journal_entry");
}

/** Holds a call back until the test opens it, and says when the call has come. */
function createGate() {
	let reach = () => {};
	let open = () => {};
	const reached = new Promise<void>((resolve) => {
		reach = resolve;
	});
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { reach, reached, open, opened };
}

test("entries are kept in their order, and the children of an entry run", async () => {
	await withNodes(async (nodes) => {
		const node = await startParent(nodes, async ({ children, journal }) => {
			assert.deepEqual(await journal.read(), []);
			const start = await Promise.all(["one", "two"].map((key) => children.prepare(scripted(key))));
			assert.deepEqual(await children.list(), []);
			const first = { n: 1 };
			await Promise.all([journal.append(first, { start }), journal.append({ n: 2 }), journal.append({ n: 3 })]);
			first.n = 9;
			assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 2 }, { n: 3 }]);
			for (const { id } of start) assert.equal((await children.ended(id)).status, "succeeded");
			assert.deepEqual((await children.list()).map(({ key }) => key).sort(), ["one", "two"]);
		});
		const id = await assertSucceeds(node);
		const rows = await nodes.storage.find("journal_entry", { where: { execution_id: id }, orderBy: [["sequence", "asc"]] });
		assert.deepEqual(
			rows.map(({ sequence }) => sequence),
			[1, 2, 3],
		);
	});
});

test("what is decided with the end is stored in one write with it: where that fails, neither is there", async () => {
	await withNodes(async (nodes) => {
		let refusals = 1;
		const seen: number[] = [];
		const onCall: OnCall = async (method, values) => {
			if (!isEntry(method, values) || refusals === 0) return;
			refusals -= 1;
			seen.push(
				(values[0] as readonly WriteOperation[]).filter((operation) => "update" in operation && "end_timestamp" in operation.patch).length,
			);
			throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
		};
		const node = await startParent(nodes, async () => ({ ...done, decided: { entry: { last: true } } }), { onCall });
		const id = await assertSucceeds(node);
		const rows = await nodes.storage.find("journal_entry", { where: { execution_id: id } });
		assert.deepEqual(
			rows.map(({ sequence, entry }) => ({ sequence, entry })),
			[{ sequence: 1, entry: { last: true } }],
		);
		assert.deepEqual(seen, [1]);
	});
});

test("an entry and its children are stored in one write: where that fails, neither is there", async () => {
	await withNodes(async (nodes) => {
		let refusals = 1;
		const onCall: OnCall = (method, values) => {
			if (isEntry(method, values) && refusals-- > 0) throw new SvcError("SVC_INVALID", "not now");
		};
		const script: Script = async ({ children, journal }) => {
			const start = [await children.prepare(scripted("one")), await children.prepare(scripted("two"))];
			await assert.rejects(journal.append({ n: 1 }, { start }), /not now/);
			assert.deepEqual([await journal.read(), await children.list()], [[], []]);
			await journal.append({ n: 1 }, { start });
			assert.equal((await children.list()).length, 2);
			for (const { id } of start) await children.ended(id);
		};
		await assertSucceeds(await startParent(nodes, script, { onCall }));
	});
});

test("an entry is stored once although the answer to its write is lost, and so are its children", async () => {
	await withNodes(async (nodes) => {
		let losses = 1;
		const onCall: OnCall = (method, values) => (isEntry(method, values) && losses-- > 0 ? "lost" : undefined);
		const script: Script = async ({ children, journal }) => {
			const start = [await children.prepare(scripted("one"))];
			await journal.append({ n: 1 }, { start });
			await journal.append({ n: 2 });
			assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 2 }]);
			assert.equal((await children.list()).length, 1);
			await until(async () => (await children.find("one"))?.hasEnded === true, "the child has ended");
		};
		await assertSucceeds(await startParent(nodes, script, { onCall }));
	});
});

test("a child whose key has been used is not started again, and does not keep the entry away", async () => {
	await withNodes(async (nodes) => {
		const node = await startParent(nodes, async ({ children, journal }) => {
			const id = await children.start(scripted("one"));
			const start = [await children.prepare(scripted("one")), await children.prepare(scripted("two"))];
			await journal.append({ n: 1 }, { start: [...start, ...start] });
			await journal.append({ n: 2 }, { start });
			assert.equal(start[0]?.id, id);
			assert.deepEqual((await children.list()).map(({ key }) => key).sort(), ["one", "two"]);
			assert.equal((await journal.read()).length, 2);
		});
		await assertSucceeds(node);
	});
});

test("what stands in the way of a child is told when it is prepared, and nothing is stored then", async () => {
	await withNodes(async (nodes) => {
		const node = await startParent(nodes, async ({ children, journal }) => {
			const refused = [
				[{ key: "a", action: "default.missing" }, "SVC_NOT_FOUND"],
				[{ key: "b", action: "default.disabled" }, "SVC_INVALID"],
				[{ ...scripted("c"), parameters: { lines: "no list", what: 1 } }, "SVC_INVALID"],
				[{ ...scripted("x".repeat(256)) }, "SVC_INVALID"],
			] as const;
			for (const [request, code] of refused) await assert.rejects(children.prepare(request), (error) => isSvcError(error, code));
			await assert.rejects(journal.append({}, { start: [{ id: "f".repeat(24), key: "d" }] }), /not a child that this run prepared/);
			assert.deepEqual([await children.list(), await journal.read()], [[], []]);
		});
		await node.engine.actions.create({ name: "disabled", runner_type: "scripted", enabled: false });
		await assertSucceeds(node);
	});
});

test("whoever goes on with a run reads its journal, and whoever has lost it writes no more in it", async () => {
	await withNodes(async (nodes) => {
		const late: unknown[] = [];
		const first = await startParent(nodes, async ({ children, journal, signal }) => {
			await journal.append({ n: 1 }, { start: [await children.prepare(scripted("one"))] });
			const prepared = await children.prepare(scripted("late"));
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			late.push(await journal.append({ n: 9 }, { start: [prepared] }).catch((error: unknown) => error));
		});
		const { id } = await submitParent(first);
		await until(async () => (await nodes.storage.count("journal_entry", { execution_id: id })) === 1, "the first entry");
		first.door.shut();
		const recover: Script = async ({ children, journal }) => {
			assert.deepEqual(await journal.read(), [{ n: 1 }]);
			await journal.append({ n: 2 }, { start: [await children.prepare(scripted("one")), await children.prepare(scripted("two"))] });
			assert.deepEqual((await children.list()).map(({ key }) => key).sort(), ["one", "two"]);
			return done;
		};
		const second = await startParent(nodes, async () => undefined, { recover });
		const ended = await second.settled(id);
		assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
		first.door.open();
		await until(() => late.length === 1, "the first run notices");
		assert.ok(isSvcError(late[0], "SVC_CONFLICT"), String(late[0]));
		assert.equal(await nodes.storage.get("execution", toChildId(id, "late")), undefined);
		assert.equal(await nodes.storage.count("journal_entry", { execution_id: id }), 2);
	});
});

test("a run that is lost while its first entry is on its way stores neither the entry nor a state", async () => {
	await withNodes(async (nodes) => {
		const gate = createGate();
		const results: unknown[] = [];
		const onCall: OnCall = async (method, values) => {
			if (!isEntry(method, values)) return;
			gate.reach();
			await gate.opened;
		};
		const script: Script = async ({ journal }) => {
			results.push(await journal.append({ n: 1 }).catch((error: unknown) => error));
		};
		const first = await startParent(nodes, script, { onCall });
		const { id } = await submitParent(first);
		await gate.reached;
		first.door.shut();
		const second = await startParent(nodes, async () => undefined);
		assert.equal((await second.settled(id)).status, "abandoned");
		const before = await nodes.storage.get("execution", id);
		gate.open();
		first.door.open();
		await until(() => results.length === 1, "the write of the first node has been answered");
		assert.ok(results[0] instanceof Error, String(results[0]));
		const after = await nodes.storage.get("execution", id);
		assert.deepEqual(after?.run_state, before?.run_state);
		assert.equal(await nodes.storage.count("journal_entry", { execution_id: id }), 0);
	});
});

test("tasks that an entry has changed are told on the general stream, without secrets", async () => {
	await withNodes(async (nodes) => {
		const task = {
			id: "a".repeat(24),
			name: "deploy with hunter2",
			route: 0,
			status: "running",
			action: "core.local",
			attempts: 1,
			start_timestamp: "2030-01-02T03:04:05.678901Z",
			end_timestamp: null,
			execution_ids: [],
			items: null,
			next: [],
		} as const;
		const node = await startParent(nodes, async ({ journal }) => void (await journal.append({ n: 1 }, { tasks: [task] })));
		const events = await node.engine.events.subscribe(["svc.task__update"], { signal: new AbortController().signal });
		const { id } = await node.submit({ password: "hunter2" }, { action: "default.parent" });
		for await (const { task: told } of events) {
			const { timestamp, ...rest } = told;
			assert.match(timestamp, /Z$/);
			assert.deepEqual(rest, { ...task, name: "deploy with ********", execution_id: id, action_ref: "default.parent" });
			break;
		}
	});
});

test.run();
