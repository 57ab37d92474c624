import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import {
	type Child,
	type ChildExecutions,
	defineRunner,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	RunAborted,
	type RunContext,
	type RunResult,
} from "../../../contract/index.ts";
import { exceptOn, postgresBackends } from "../../../testing/backends/backend-names.test-support.ts";
import { principal, startEngine, type TestEngine, type TestEngineOptions } from "../../../testing/engine/engine.test-support.ts";
import { toChildId } from "../../executions/child-identity.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

type Script = (context: RunContext) => Promise<RunResult | undefined>;

/** A runner that does what the test says, and another time when it is to go on. */
function parentRunner(script: Script, recover: Script = script) {
	return defineRunner("parent", () => ({
		description: "Does what a test says.",
		capabilities: { cancellation: true, recovery: true },
		parameters: {
			text: { type: "string", default: "" },
			password: { type: "string", secret: true },
			timeout: { type: "number", default: 60 },
		},
		run: async (context) => (await script(context)) ?? { succeeded: false, result: {} },
		recover: (context) => recover(context),
	}))();
}

async function withParent(script: Script, body: (node: TestEngine) => Promise<void>, options: TestEngineOptions = {}): Promise<void> {
	const node = await startEngine({ runners: [parentRunner(script)], ...options });
	try {
		await node.engine.actions.create({ name: "parent", runner_type: "parent" });
		await body(node);
	} finally {
		await node.stop();
	}
}

const submitParent = (node: TestEngine, parameters: JsonObject = {}) => node.submit(parameters, { action: "default.parent" });

const scripted = (key: string, parameters: JsonObject = {}) => ({ key, action: "default.scripted", parameters });

/** The end of a parent whose script threw nothing. */
async function assertSucceeded(node: TestEngine, { id }: ExecutionEntity): Promise<ExecutionEntity> {
	const ended = await node.settled(id);
	assert.equal(ended.status, "succeeded", JSON.stringify(ended.result));
	return ended;
}

/** A child once it has been started and has the status. */
async function reached(node: TestEngine, id: string, status: ExecutionEntity["status"]): Promise<ExecutionEntity> {
	while ((await node.storage.get("execution", id)) === undefined) await delay(2);
	return node.settled(id, status);
}

async function startAll(children: ChildExecutions, count: number, parameters: JsonObject = {}): Promise<string[]> {
	return Promise.all(Array.from({ length: count }, (_, index) => children.start(scripted(`item-${index}`, parameters))));
}

test("a run starts children, waits for them and reads what they ended with", async () => {
	const script: Script = async ({ children, execution_id }) => {
		const ids = [
			await children.start({ ...scripted("one", { lines: ["hello"] }), context: { step: 1 } }),
			await children.start(scripted("two", { outcome: "fail" })),
		];
		const ended = await Promise.all(ids.map((id) => children.ended(id)));
		const results = await Promise.all(ids.map((id) => children.result(id)));
		assert.deepEqual(
			(await children.list()).map(({ key, status }) => [key, status]),
			[
				["one", "succeeded"],
				["two", "failed"],
			],
		);
		assert.equal((await children.find("two"))?.id, ids[1]);
		assert.equal(await children.find("three"), undefined);
		return {
			succeeded: true,
			result: { id: execution_id, statuses: ended.map(({ status }) => status), printed: results[0]?.["stdout"] ?? null },
		};
	};
	await withParent(script, async (node) => {
		const parent = await assertSucceeded(node, await submitParent(node));
		assert.deepEqual(parent.result?.["statuses"], ["succeeded", "failed"]);
		assert.deepEqual(parent.result?.["printed"], "hello\n");
		const [child] = await node.storage.find("execution", { where: { parent_id: parent.id }, orderBy: [["start_timestamp", "asc"]] });
		assert.ok(child !== undefined);
		assert.equal(child.id, toChildId(parent.id, "one"));
		assert.deepEqual([child.user, child.trace_id, child.author], [parent.user, parent.trace_id, parent.author]);
		assert.deepEqual(child.context, {
			step: 1,
			parent: { execution_id: parent.id, user: principal.username, pack: "default", key: "one", depth: 1 },
			user: principal.username,
			pack: "default",
		});
	});
});

test("a key stands for one child, however often it is started", async () => {
	const script: Script = async ({ children }) => {
		const ids = await Promise.all(Array.from({ length: 8 }, () => children.start(scripted("same"))));
		assert.equal(new Set(ids).size, 1);
		await children.ended(ids[0] ?? "");
		assert.equal(await children.start(scripted("same", { outcome: "fail" })), ids[0]);
		assert.equal((await children.list()).length, 1);
		for (const key of ["", "x".repeat(256)]) await assert.rejects(children.start(scripted(key)), /key: must be/);
		return { succeeded: true, result: {} };
	};
	await withParent(script, async (node) => void (await assertSucceeded(node, await submitParent(node))));
});

exceptOnPostgres("templates in what a child is given are not rendered", async () => {
	const given = "{{ svckv.system.password }} {{ 1 + 1 }}";
	const script: Script = async ({ children }) => {
		const id = await children.start(scripted("one", { lines: [given] }));
		await children.ended(id);
		return { succeeded: true, result: (await children.result(id)) ?? {} };
	};
	await withParent(script, async (node) => {
		const { result } = await assertSucceeded(node, await submitParent(node));
		assert.equal(result?.["stdout"], `${given}\n`);
	});
});

test("changes tell of every child as it is and of each end", async () => {
	const script: Script = async ({ children }) => {
		const [first = ""] = await startAll(children, 1);
		await children.ended(first);
		const seen = new Map<string | undefined, string[]>();
		const starting = (async () => {
			for (let index = 1; index < 20; index++) await children.start(scripted(`item-${index}`));
		})();
		let ended = 0;
		for await (const { key, status, hasEnded } of children.changes()) {
			seen.set(key, [...(seen.get(key) ?? []), status]);
			if (hasEnded && ++ended === 20) break;
		}
		await starting;
		assert.ok([...seen.values()].every((statuses) => statuses.filter((status) => status === "succeeded").length === 1));
		assert.deepEqual(seen.get("item-0"), ["succeeded"]);
		return { succeeded: true, result: {} };
	};
	await withParent(script, async (node) => void (await assertSucceeded(node, await submitParent(node))));
});

exceptOnPostgres("a canceled run ends its children itself, and may wait for them beyond its abort", async () => {
	const script: Script = async ({ children, signal }) => {
		const ids = await startAll(children, 2, { outcome: "hang" });
		await assert.rejects(children.ended(ids[0] ?? ""), (error) => error instanceof RunAborted && error.kind === "cancel");
		assert.equal(signal.aborted, true);
		for await (const _ of children.changes()) assert.fail("changes are told although the signal has aborted");
		const patient = new AbortController().signal;
		await Promise.all(ids.map((id) => children.cancel(id)));
		const ended = await Promise.all(ids.map((id) => children.ended(id, { signal: patient })));
		// Once more does nothing.
		await Promise.all(ids.map((id) => children.cancel(id)));
		return { succeeded: false, result: { statuses: ended.map(({ status }) => status) } };
	};
	await withParent(script, async (node) => {
		const { id } = await submitParent(node);
		await reached(node, toChildId(id, "item-1"), "running");
		await node.engine.executions.cancel(id, principal);
		const parent = await node.settled(id);
		assert.equal(parent.status, "canceled");
		assert.deepEqual(parent.result?.["statuses"], ["canceled", "canceled"]);
	});
});

exceptOnPostgres("children of a run that has ended go on", async () => {
	const script: Script = async ({ children }) => {
		await startAll(children, 1, { outcome: "hang" });
		return { succeeded: true, result: {} };
	};
	await withParent(script, async (node) => {
		const { id } = await assertSucceeded(node, await submitParent(node));
		const child = await reached(node, toChildId(id, "item-0"), "running");
		await node.engine.executions.cancel(child.id, principal);
		assert.equal((await node.settled(child.id)).status, "canceled");
	});
});

exceptOnPostgres("a run may do nothing with its children once it has ended, nor with those of others", async () => {
	let kept: ChildExecutions | undefined;
	const script: Script = async ({ children }) => {
		kept = children;
		const { id } = (await node?.submit()) ?? { id: "" };
		for (const call of [children.ended, children.result, children.cancel, children.pause]) {
			await assert.rejects(call(id), (error) => isSvcError(error, "SVC_NOT_FOUND"));
		}
		return { succeeded: true, result: {} };
	};
	let node: TestEngine | undefined;
	await withParent(script, async (started) => {
		node = started;
		await assertSucceeded(started, await submitParent(started));
		for (const call of [() => kept?.start(scripted("late")), () => kept?.list(), () => kept?.ended("x")]) {
			await assert.rejects(
				async () => call(),
				(error) => isSvcError(error, "SVC_CONFLICT"),
			);
		}
	});
});

exceptOnPostgres("a pause is refused as over the API, and what an action does not take as well", async () => {
	const script: Script = async ({ children }) => {
		const [id = ""] = await startAll(children, 1, { outcome: "hang" });
		for (const call of [children.pause, children.resume]) await assert.rejects(call(id), /does not support pause and resume/);
		await children.cancel(id);
		await assert.rejects(children.start({ key: "none", action: "default.none" }), (error) => isSvcError(error, "SVC_NOT_FOUND"));
		await assert.rejects(children.start(scripted("bad", { outcome: "wrong" })), (error) => isSvcError(error, "SVC_INVALID"));
		assert.equal((await children.list()).length, 1);
		return { succeeded: true, result: {} };
	};
	await withParent(script, async (node) => void (await assertSucceeded(node, await submitParent(node))));
});

test("runs that wait for children leave them room", async () => {
	const script: Script = async ({ children, runnerParameters }) => {
		const { text } = runnerParameters as { text: string };
		const id = await children.start(text === "outer" ? { key: "inner", action: "default.parent" } : scripted("one"));
		const { status } = await children.ended(id);
		return { succeeded: status === "succeeded", result: {} };
	};
	const body = async (node: TestEngine) => {
		const parents = await Promise.all(Array.from({ length: 6 }, () => submitParent(node, { text: "outer" })));
		for (const parent of parents) await assertSucceeded(node, parent);
	};
	await withParent(script, body, { options: { actionrunner: { actions_pool_size: 2 } } });
});

exceptOnPostgres(
	"what is secret in a child's result is known to its parent, and what is secret to the parent to its children",
	async () => {
		const secret = "correct-horse-battery";
		const learnt = "tr0ub4dor-and-3";
		const script: Script = async ({ children, emit, runnerParameters }) => {
			const { password } = runnerParameters as { password: string };
			const first = await children.start(scripted("one", { lines: [`it is ${password}`] }));
			const second = await children.start(scripted("two", { secret: learnt, lines: [learnt] }));
			await Promise.all([children.ended(first), children.ended(second)]);
			assert.equal((await children.result(first))?.["stdout"], `it is ${secret}\n`);
			const result = await children.result(second);
			assert.equal(result?.["stdout"], `${learnt}\n`);
			await emit("stdout", `found ${learnt}`);
			return { succeeded: true, result: { found: String(result?.["stdout"]) } };
		};
		await withParent(script, async (node) => {
			const parent = await assertSucceeded(node, await submitParent(node, { password: secret }));
			const child = await node.engine.executions.get(toChildId(parent.id, "one"));
			assert.equal(child.secrets.redactText(`it is ${secret}`), "it is ********");
			const { secrets } = await node.engine.executions.get(parent.id);
			assert.equal(secrets.redactText(String(parent.result?.["found"])), "********\n");
			let shown = "";
			for await (const text of node.engine.output.read(parent.id, { masked: true })) shown += text;
			assert.equal(shown, "found ********");
		});
	},
);

exceptOnPostgres("a question that a child asks is told, and canceled with its parent", async () => {
	const script: Script = async ({ children }) => {
		const id = await children.start({ key: "ask", action: "default.ask" });
		let asked: Child | undefined;
		for await (const child of children.changes()) {
			asked = child;
			if (child.status === "pending") break;
		}
		const question = await children.result(id);
		await children.cancel(id);
		return { succeeded: true, result: { asked: asked?.key ?? "", ttl: question?.["ttl"] ?? null, end: (await children.ended(id)).status } };
	};
	const asking = defineRunner("asking", () => ({
		description: "Asks.",
		capabilities: {},
		parameters: {},
		run: async () => ({ succeeded: false, status: "pending", result: { ttl: 1_440 } }),
	}));
	const body = async (node: TestEngine) => {
		await node.engine.actions.create({ name: "ask", runner_type: "asking" });
		const { result } = await assertSucceeded(node, await submitParent(node));
		assert.deepEqual(result, { asked: "ask", ttl: 1_440, end: "canceled" });
	};
	await withParent(script, body, { runners: [parentRunner(script), asking()] });
});

exceptOnPostgres("what starts itself is refused one day, and nothing that a caller writes counts", async () => {
	const refusals: string[] = [];
	await withParent(
		async (context) => {
			try {
				const id = await context.children.start({ key: "self", action: "default.parent" });
				await context.children.ended(id);
			} catch (error) {
				assert.ok(isSvcError(error, "SVC_INVALID"), String(error));
				refusals.push(error.message);
			}
			return { succeeded: true, result: {} };
		},
		async (node) => {
			const above = await node.submit();
			const context = { parent: { execution_id: above.id, key: "self", depth: 1_000 } };
			await assertSucceeded(node, await node.submit({}, { action: "default.parent", context }));
			assert.equal(await node.storage.count("execution", { action_ref: "default.parent" }), 51);
			assert.deepEqual(refusals, [
				'action "default.parent": executions may be nested at most 50 levels deep; does an action start itself?',
			]);
		},
	);
});

test.run();
