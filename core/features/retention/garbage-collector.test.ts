import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type RuleEntity, SvcError } from "../../contract/index.ts";
import { toSnapshot } from "../../kernel/executions/action-catalog.ts";
import type { BackgroundThrottle } from "../../kernel/expiry/background-throttle.ts";
import { startRemovalPass } from "../../kernel/expiry/removal.ts";
import { toRuleSnapshot } from "../rules/rule-snapshot-exports.ts";
import { removeTraces } from "./remove-event-records.ts";
import {
	createScene,
	daysAgo,
	toChunks,
	toDelivery,
	toEnforcement,
	toExecution,
	toInstance,
	toToken,
	toTrace,
} from "./retention.test-support.ts";

test("by default output goes a week after the end of its execution, and nothing else does but expired tokens", async () => {
	const { storage, collect, ids } = createScene();
	const old = toExecution("succeeded", 8);
	const young = toExecution("failed", 6);
	const running = toExecution("running", 400);
	const late = toExecution("abandoned", 400, { end_timestamp: daysAgo(6) });
	const asking = toExecution("pending", 400);
	const executions = [old, young, running, late, asking];
	await storage.insert("execution", executions);
	await storage.insert(
		"output_chunk",
		executions.flatMap(({ id, start_timestamp }) => toChunks(id, start_timestamp < daysAgo(100) ? 400 : 8, 3)),
	);
	await storage.insert("output_chunk", toChunks("0".repeat(24), 8));
	const tokens = [toToken(1), toToken(-1)] as const;
	await storage.insert("token", tokens);
	const instance = toInstance("processed", 400);
	await storage.insert("trigger_instance", [instance]);
	await storage.insert("rule_enforcement", [toEnforcement(instance.id, 400)]);
	await storage.insert("webhook_delivery", [toDelivery(400)]);
	await storage.insert("trace", [toTrace(400)]);
	await collect();
	const kept = new Set((await storage.find("output_chunk", {})).map(({ execution_id }) => execution_id));
	assert.deepEqual(kept, new Set([young.id, running.id, late.id, asking.id]));
	assert.equal(await storage.count("output_chunk", {}), 12);
	assert.deepEqual(await ids("token"), [tokens[1].id]);
	assert.equal((await ids("execution")).length, 5);
	for (const kind of ["trigger_instance", "rule_enforcement", "webhook_delivery", "trace"] as const)
		assert.equal((await ids(kind)).length, 1);
});

test("0 keeps output for ever", async () => {
	const { storage, collect } = createScene({ action_executions_ttl: 0 });
	const old = toExecution("succeeded", 4_000);
	await storage.insert("execution", [old]);
	await storage.insert("output_chunk", toChunks(old.id, 4_000));
	await collect();
	assert.equal(await storage.count("output_chunk", {}), 1);
});

test("executions go with their output, and only when all they have started has ended in time", async () => {
	const { storage, collect, ids } = createScene({ purge_executions_ttl: 30, action_executions_ttl: 0 });
	const family = (status: "succeeded" | "running" | "pending", days = 31) => {
		const root = toExecution("succeeded", 40, { end_timestamp: daysAgo(35) });
		const child = toExecution("failed", 39, { parent_id: root.id });
		const grandchild = toExecution(status, days, { parent_id: child.id });
		return [root, child, grandchild];
	};
	const gone = [...family("succeeded"), toExecution("timeout", 31), toExecution("canceled", 31, { parent_id: "0".repeat(24) })];
	const kept = [
		...family("running"),
		...family("pending"),
		...family("succeeded", 29),
		toExecution("requested", 31),
		toExecution("abandoned", 29),
		toExecution("succeeded", 31, { end_timestamp: daysAgo(29) }),
	];
	await storage.insert("execution", [...gone, ...kept]);
	await storage.insert(
		"output_chunk",
		[...gone, ...kept].flatMap(({ id }) => toChunks(id, 31, 2)),
	);
	await collect();
	assert.deepEqual([...(await ids("execution"))].sort(), kept.map(({ id }) => id).sort());
	assert.equal(await storage.count("output_chunk", {}), kept.length * 2);
});

test("children go before their parents and output before its execution, so that a crash in between leaves nothing behind", async () => {
	const { storage, collector, calls } = createScene({ purge_executions_ttl: 30 });
	const root = toExecution("succeeded", 40);
	const child = toExecution("succeeded", 40, { parent_id: root.id });
	await storage.insert("execution", [root, child]);
	await storage.insert("output_chunk", [...toChunks(root.id, 1, 2), ...toChunks(child.id, 1, 2)]);
	const removed: string[] = [];
	for (let crash = 1; removed.length === 0 || (await storage.count("execution", {})) > 0; crash += 1) {
		assert.ok(crash < 10, "it does not come to an end");
		const controller = new AbortController();
		const before = calls.length;
		const original = calls.push.bind(calls);
		let writes = 0;
		calls.push = (...given) => {
			// The process goes after each write in turn.
			if (given.some(({ method }) => method === "remove") && ++writes === crash) controller.abort();
			return original(...given);
		};
		await collector.collect(controller.signal);
		calls.push = original;
		removed.push(
			...calls
				.slice(before)
				.filter(({ method }) => method === "remove")
				.map(({ kind }) => kind),
		);
		const ids = new Set((await storage.find("execution", {})).map(({ id }) => id));
		for (const { execution_id } of await storage.find("output_chunk", {})) assert.ok(ids.has(execution_id), "output was left behind");
		assert.ok(!ids.has(child.id) || ids.has(root.id), "a child was left behind");
	}
	assert.equal(await storage.count("output_chunk", {}), 0);
});

test("events go when rules have been done with them, enforcements when their event has been processed", async () => {
	const { storage, collect, ids } = createScene({ trigger_instances_ttl: 10, rule_enforcements_ttl: 10 });
	const gone = [toInstance("processed", 11), toInstance("processing_failed", 11)];
	const kept = [toInstance("pending", 11), toInstance("processing", 11), toInstance("processed", 9)];
	await storage.insert("trigger_instance", [...gone, ...kept]);
	const enforcements = [...gone, ...kept].map(({ id }) => toEnforcement(id, 11));
	const young = toEnforcement("0".repeat(24), 9);
	await storage.insert("rule_enforcement", [...enforcements, young]);
	await collect();
	assert.deepEqual(await ids("trigger_instance"), kept.map(({ id }) => id).sort());
	const [, , first, second] = enforcements;
	assert.deepEqual(await ids("rule_enforcement"), [first?.id, second?.id, young.id]);
});

test("deliveries stay for as long as their hook looks for repetitions", async () => {
	const { storage, collect, ids } = createScene({ webhook_deliveries_ttl: 2 });
	const deliveries = [1, 3, 9, 11].map(toDelivery);
	await storage.insert("webhook_delivery", deliveries);
	const hook = { id: "1".repeat(24), ref: "default.h", pack: "default", name: "h", description: "", type: "core.svc.webhook" };
	const parameters = { url: "a", deduplicate: { window: 10 * 86_400 } };
	await storage.insert("trigger", [{ ...hook, parameters_hash: "", parameters }]);
	await collect();
	assert.deepEqual(
		await ids("webhook_delivery"),
		deliveries.slice(0, 3).map(({ id }) => id),
	);
	await storage.remove("trigger", { where: {} });
	await collect();
	assert.deepEqual(
		await ids("webhook_delivery"),
		deliveries.slice(0, 1).map(({ id }) => id),
	);
});

test("traces go when nothing belongs to them any more", async () => {
	const { storage, collect, ids } = createScene({ traces_ttl: 5, rule_enforcements_ttl: 5 });
	const [byExecution, byInstance, byEnforcement, free, young] = [toTrace(6), toTrace(6), toTrace(6), toTrace(6), toTrace(4)] as const;
	await storage.insert("trace", [byExecution, byInstance, byEnforcement, free, young]);
	await storage.insert("execution", [toExecution("succeeded", 6, { trace_id: byExecution.id })]);
	await storage.insert("trigger_instance", [toInstance("processed", 6, { trace_id: byInstance.id })]);
	await storage.insert("rule_enforcement", [
		toEnforcement("0".repeat(24), 4, { trace_id: byEnforcement.id }),
		toEnforcement("0".repeat(24), 6, { trace_id: free.id, rule_id: "another" }),
	]);
	await collect();
	assert.deepEqual(await ids("trace"), [byExecution.id, byInstance.id, byEnforcement.id, young.id]);
});

test("traces that all stay are looked through a part at a time, and the next time goes on where the last one ended", async () => {
	const { storage, ids } = createScene();
	const used = Array.from({ length: 250 }, () => toTrace(7));
	await storage.insert("trace", used);
	await storage.insert(
		"execution",
		used.map(({ id }) => toExecution("succeeded", 7, { trace_id: id })),
	);
	const free = toTrace(6);
	await storage.insert("trace", [free]);
	const pace: BackgroundThrottle = { signal: new AbortController().signal, isOver: () => false, run: (call) => call(10) };
	const removal = startRemovalPass({ storage, pace, now: daysAgo(0) });
	const from = await removeTraces(removal, { before: daysAgo(5) });
	assert.ok(from?.endsWith(used[199]?.id ?? "?"), from);
	assert.equal(await removeTraces(removal, { before: daysAgo(5), from }), undefined);
	assert.equal((await ids("trace")).includes(free.id), false);
});

test("a snapshot goes when nothing has referred to it for a day, unless its action is like that now", async () => {
	const { storage, collect, ids, pass } = createScene({ purge_executions_ttl: 30 });
	const runner = {
		id: "1".repeat(24),
		name: "noop",
		description: "",
		enabled: true,
		runner_module: "noop",
		output_key: null,
		runner_parameters: {},
	};
	const action = {
		...{ id: "2".repeat(24), ref: "default.test", pack: "default", name: "test", description: "now", runner_type: "noop" },
		...{ entry_point: "", enabled: true, metadata_file: null, parameters: {}, output_schema: {}, tags: [], notify: {}, content: null },
	};
	const [current, used, unused] = ["now", "once", "never"].map((description) => toSnapshot({ ...action, description }, runner));
	assert.ok(current && used && unused);
	await storage.insert("runner_type", [runner]);
	await storage.insert("action", [action]);
	await storage.insert("snapshot", [current, used, unused]);
	await storage.insert("execution", [toExecution("succeeded", 1, { snapshot_id: used.id })]);
	await collect();
	await collect();
	assert.equal((await ids("snapshot")).length, 3);
	pass(1);
	await collect();
	assert.deepEqual(await ids("snapshot"), [current.id, used.id].sort());
});

test("what rules were goes with the last execution that they have started, but not what they are", async () => {
	const { storage, collect, ids, pass } = createScene({ purge_executions_ttl: 30 });
	const type = {
		...{ id: "1".repeat(24), ref: "default.rung", pack: "default", name: "rung", description: "", metadata_file: null },
		...{ payload_schema: {}, parameters_schema: {}, tags: [] },
	};
	const trigger = {
		...{ id: "2".repeat(24), ref: "default.rung", pack: "default", name: "rung", type: "default.rung" },
		...{ parameters_hash: "", description: "", parameters: {} },
	};
	const rule: RuleEntity = {
		...{ id: "3".repeat(24), ref: "default.bell", pack: "default", name: "bell", description: "now", type: "standard", enabled: true },
		...{
			trigger: "default.rung",
			trigger_type: "default.rung",
			action_ref: "core.noop",
			user: "maria",
			revision: "1",
			metadata_file: null,
		},
		...{ criteria: {}, action_parameters: {}, type_parameters: {}, tags: [], scopes: null },
	};
	const [current, used, unused] = ["now", "once", "never"].map((description) =>
		toRuleSnapshot({ ...rule, description }, { trigger, type }),
	);
	assert.ok(current && used && unused);
	await storage.insert("trigger_type", [type]);
	await storage.insert("trigger", [trigger]);
	await storage.insert("rule", [rule]);
	await storage.insert("rule_snapshot", [current, used, unused]);
	await storage.insert("execution", [toExecution("succeeded", 1, { rule_name: "bell", rule_snapshot_id: used.id })]);
	await collect();
	pass(1);
	await collect();
	assert.deepEqual(await ids("rule_snapshot"), [current.id, used.id].sort());
});

test("calls are small however much there is to remove, and others come in between", async () => {
	const { storage, collect, calls } = createScene({ purge_executions_ttl: 30 });
	const heavy = toExecution("succeeded", 40);
	const running = toExecution("running", 40);
	await storage.insert("execution", [heavy, running, ...Array.from({ length: 150 }, () => toExecution("succeeded", 10))]);
	await storage.insert("output_chunk", [...toChunks(heavy.id, 40, 1_500), ...toChunks(running.id, 40, 400)]);
	for (const { id } of await storage.find("execution", { where: { start_timestamp: daysAgo(10) } })) {
		await storage.insert("output_chunk", toChunks(id, 10, 1));
	}
	let turns = 0;
	let isOver = false;
	const turn = () => {
		turns += 1;
		if (!isOver) setImmediate(turn);
	};
	turn();
	await collect();
	isOver = true;
	assert.equal(await storage.count("output_chunk", {}), 400);
	assert.ok(Math.max(...calls.map(({ count }) => count)) <= 500, "a call concerned too many records");
	assert.ok(turns >= calls.length, "the event loop was held from one call to the next");
});

test("where a call takes long the next ones concern fewer records, and most of the time is left to others", async () => {
	const { storage, collect, calls } = createScene();
	await storage.insert(
		"token",
		Array.from({ length: 600 }, () => toToken(1)),
	);
	const remove = storage.remove.bind(storage);
	let held = 0;
	storage.remove = (async (...given: Parameters<typeof remove>) => {
		const begin = performance.now();
		const count = await remove(...given);
		// As slow as a disk may be.
		while (performance.now() - begin < count);
		held += performance.now() - begin;
		return count;
	}) as never;
	const begin = performance.now();
	await collect();
	const took = performance.now() - begin;
	assert.equal(await storage.count("token", {}), 0);
	const counts = calls.filter(({ method }) => method === "remove").map(({ count }) => count);
	assert.ok(counts.length > 10 && Math.max(...counts.slice(5)) <= 60, `calls were for ${counts.join(", ")} records`);
	assert.ok(took > held * 4, `of ${took.toFixed(0)} ms the storage worked for ${held.toFixed(0)}`);
});

test("a collection that is told to end begins nothing more", async () => {
	const { storage, collector, calls } = createScene();
	const old = toExecution("succeeded", 8);
	await storage.insert("execution", [old]);
	await storage.insert("output_chunk", toChunks(old.id, 8, 5_000));
	const controller = new AbortController();
	const collecting = collector.collect(controller.signal);
	while (!calls.some(({ method }) => method === "remove")) await new Promise((resolve) => setImmediate(resolve));
	const begun = calls.length;
	controller.abort();
	await collecting;
	assert.ok(calls.length <= begun + 1);
	assert.ok((await storage.count("output_chunk", {})) > 0);
});

test("the room of what was removed is given back afterwards, step by step", async () => {
	const steps = [true, true, false];
	const { storage, collect, calls } = createScene();
	let compacted = 0;
	storage.compact = async () => {
		compacted += 1;
		return steps.shift() ?? false;
	};
	await collect();
	assert.equal(compacted, 0, "nothing was removed");
	await storage.insert("token", [toToken(1)]);
	await collect();
	assert.equal(compacted, 3);
	assert.deepEqual(
		calls.slice(-3).map(({ method }) => method),
		["compact", "compact", "compact"],
	);
	await collect();
	assert.equal(compacted, 3);
});

test("records that cannot be removed do not keep the others, an outage of the storage ends the collection", async () => {
	const { storage, collect } = createScene();
	await storage.insert("token", [toToken(1)]);
	const find = storage.find.bind(storage);
	let failure: Error = new TypeError("broken");
	storage.find = ((kind: "output_chunk", query: object) =>
		kind === "output_chunk" ? Promise.reject(failure) : find(kind, query)) as never;
	await collect();
	assert.equal(await storage.count("token", {}), 0);
	failure = new SvcError("SVC_UNAVAILABLE", "away");
	await assert.rejects(collect(), /away/);
});

test.run();
