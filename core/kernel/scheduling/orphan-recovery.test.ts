import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	defineRunner,
	type ExecutionEntity,
	type JsonObject,
	type RunContext,
	type RunnerPlugin,
	type RunResult,
} from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door, type SharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";

const lease = 0.2;
const long = { seconds: 15 };
/** What the runner says of a run that it has found again. */
const recoveredPid = 4_711;
const clock = getSystemClock();

/** Work outside the service, which outlives its nodes. It writes lines and ends when the test says so. */
interface Work {
	readonly lines: string[];
	ended: boolean;
	/** Whether somebody ended it before its time. */
	stopped: boolean;
	look: () => void;
}

interface Outside {
	readonly works: Map<string, Work>;
	readonly plugin: RunnerPlugin;
	/** What each start and each recovery saw. */
	readonly attached: { readonly kind: "run" | "recover"; readonly captured: string; readonly state?: JsonObject }[];
	write(id: string, line: string): void;
	end(id: string): void;
}

function createOutside({ findable = true } = {}): Outside {
	const works = new Map<string, Work>();
	const attached: { kind: "run" | "recover"; captured: string; state?: JsonObject }[] = [];

	async function follow(work: Work, { emit, captured, signal }: RunContext): Promise<RunResult> {
		for (;;) {
			const { lines, ended } = work;
			const rest = lines.join("").slice(captured("stdout").text.length);
			if (rest !== "") await emit("stdout", rest);
			if (ended) return { succeeded: true, result: { stdout: captured("stdout").text } };
			if (signal.aborted) {
				if (signal.reason.kind === "shutdown") return { succeeded: false, result: {}, status: "running" };
				work.stopped = true;
				return { succeeded: false, result: { stdout: captured("stdout").text } };
			}
			if (lines.join("") === captured("stdout").text) await new Promise<void>((resolve) => wake(work, signal, resolve));
		}
	}

	const plugin = defineRunner("outside", () => ({
		description: "Follows work outside the service.",
		capabilities: { streaming: true, cancellation: true, recovery: true },
		parameters: { timeout: { type: "number", default: 60 } },
		async run(context) {
			attached.push({ kind: "run", captured: context.captured("stdout").text });
			const work: Work = { lines: [], ended: false, stopped: false, look() {} };
			works.set(context.execution_id, work);
			await context.saveState({ place: context.liveaction_id });
			return follow(work, context);
		},
		async recover(context, state) {
			context.setRunnerInfo({ pid: recoveredPid });
			attached.push({ kind: "recover", captured: context.captured("stdout").text, state });
			const work = works.get(context.execution_id);
			return findable && work !== undefined ? follow(work, context) : undefined;
		},
	}))();
	const change = (id: string, apply: (work: Work) => void) => {
		const work = works.get(id);
		assert.ok(work !== undefined);
		apply(work);
		work.look();
	};
	return {
		works,
		plugin,
		attached,
		write: (id, line) => change(id, ({ lines }) => void lines.push(line)),
		end: (id) =>
			change(id, (work) => {
				work.ended = true;
			}),
	};
}

function wake(work: Work, signal: AbortSignal, resolve: () => void): void {
	work.look = resolve;
	signal.addEventListener("abort", resolve, { once: true });
}

interface Scene extends SharedStorage {
	readonly outside: Outside;
	startNode(): Promise<TestEngine & { readonly door: Door }>;
	/** A node with an execution whose work has written `first`. */
	startFirst(parameters?: JsonObject): Promise<TestEngine & { readonly door: Door; readonly id: string }>;
	/** Stored output, which must have the sequences 1, 2 and so on. */
	output(id: string): Promise<string>;
}

interface SceneOptions {
	readonly findable?: boolean;
	/** Seconds of the nodes' leases: more than usual where a node stops in order, and must not have lost its run before. */
	readonly seconds?: number;
}

function scene(name: string, body: (scene: Scene) => Promise<void>, options: SceneOptions = {}): void {
	test(name, async () => {
		const shared = createSharedStorage();
		const outside = createOutside(options);
		const nodes: (TestEngine & { readonly door: Door })[] = [];
		const output = async (id: string) => {
			const chunks = await shared.storage.find("output_chunk", { where: { execution_id: id }, orderBy: [["sequence", "asc"]] });
			assert.deepEqual(
				chunks.map(({ sequence }) => sequence),
				chunks.map((_, index) => index + 1),
			);
			return chunks.map(({ data }) => data).join("");
		};
		const startNode = async () => {
			const door = shared.createDoor();
			const settings = {
				scheduler: { lease: options.seconds ?? lease, poll_interval: 0.05 },
				timersengine: { enable: false },
				log: { level: "error" },
				actionrunner: { exit_still_active_check: 1 },
			} as const;
			const node = {
				...(await startEngine({ storage: door.plugin, eventBus: door.eventBus, runners: [outside.plugin], options: settings })),
				door,
			};
			nodes.push(node);
			return node;
		};
		const startFirst = async (parameters: JsonObject = {}) => {
			const node = await startNode();
			await node.engine.actions.create({ name: "outside", runner_type: "outside" });
			const { id } = await node.submit(parameters, { action: "default.outside" });
			await until(() => outside.works.has(id));
			outside.write(id, "first\n");
			await until(async () => (await output(id)) === "first\n");
			return { ...node, id };
		};
		try {
			await body({ ...shared, outside, startNode, startFirst, output });
		} finally {
			for (const { door, stop } of nodes) {
				door.open();
				await stop();
			}
			await shared.release();
		}
	});
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const statuses = ({ log }: ExecutionEntity) => log.map(({ status }) => status);

scene("a run whose node went away is found again, its output without gap or repeat", async ({ outside, startNode, startFirst, output }) => {
	const first = await startFirst();
	first.door.shut();
	outside.write(first.id, "second\n");
	const second = await startNode();
	await until(() => outside.attached.length === 2);
	outside.write(first.id, "third\n");
	outside.end(first.id);
	const ended = await second.settled(first.id);
	assert.equal(ended.status, "succeeded");
	assert.deepEqual(statuses(ended), ["requested", "scheduled", "running", "succeeded"]);
	assert.equal(ended.result?.["stdout"], "first\nsecond\nthird\n");
	assert.equal(await output(first.id), "first\nsecond\nthird\n");
	assert.deepEqual([ended.attempt, ended.run_state, ended.owner], [1, null, null]);
	assert.deepEqual(outside.attached, [
		{ kind: "run", captured: "" },
		{ kind: "recover", captured: "first\n", state: { place: ended.liveaction_id } },
	]);
	first.door.open();
	await first.engine.drain();
	assert.equal(await output(first.id), "first\nsecond\nthird\n");
});

scene("the end is announced with the place that is stored with it", async ({ outside, startNode, startFirst }) => {
	const first = await startFirst();
	first.door.shut();
	const second = await startNode();
	const controller = new AbortController();
	const { signal } = controller;
	const updates = await second.engine.events.subscribe(["svc.execution__update"], { signal });
	await until(() => outside.attached.length === 2);
	outside.end(first.id);
	const { runner_info } = await second.settled(first.id);
	assert.equal(runner_info?.["pid"], recoveredPid);
	for await (const event of updates) {
		if (event.kind !== "execution" || event.view.entity.status !== "succeeded") continue;
		assert.deepEqual(event.view.entity.runner_info, runner_info);
		break;
	}
	controller.abort();
});

scene(
	"a run that cannot be found ends abandoned",
	async ({ outside, startNode, startFirst }) => {
		const first = await startFirst();
		first.door.shut();
		const ended = await (await startNode()).settled(first.id);
		assert.equal(ended.status, "abandoned");
		assert.match(String(ended.result?.["error"]), /could not be recovered/);
		assert.equal(outside.attached.length, 2);
	},
	{ findable: false },
);

scene(
	"the service stops at once and leaves the run, and the next one goes on with it",
	async ({ outside, startNode, startFirst, output, storage }) => {
		const first = await startFirst();
		const begin = performance.now();
		await first.engine.drain();
		assert.ok(performance.now() - begin < 900, "the stop waited for a run that can be found again");
		const left = await storage.get("execution", first.id);
		assert.deepEqual([left?.status, left?.owner], ["running", null]);
		assert.equal(outside.works.get(first.id)?.stopped, false);
		const second = await startNode();
		await until(() => outside.attached.length === 2);
		outside.write(first.id, "second\n");
		outside.end(first.id);
		assert.equal((await second.settled(first.id)).status, "succeeded");
		assert.equal(await output(first.id), "first\nsecond\n");
	},
	long,
);

scene(
	"a cancel asked for while no node ran ends the run that is found again",
	async ({ outside, startNode, startFirst, storage }) => {
		const first = await startFirst();
		await first.engine.drain();
		const canceling = { status: "canceling", context: { cancelled_by: "maria" } } as const;
		await storage.update("execution", first.id, canceling);
		const ended = await (await startNode()).settled(first.id);
		assert.equal(ended.status, "canceled");
		assert.equal(outside.works.get(first.id)?.stopped, true);
	},
	long,
);

scene(
	"a run that was found again can be canceled",
	async ({ outside, startNode, startFirst }) => {
		const first = await startFirst();
		await first.engine.drain();
		const second = await startNode();
		await until(() => outside.attached.length === 2);
		await second.engine.executions.cancel(first.id, principal);
		assert.equal((await second.settled(first.id)).status, "canceled");
		assert.equal(outside.works.get(first.id)?.stopped, true);
	},
	long,
);

scene(
	"the time-out counts from the first start",
	async ({ outside, startNode, startFirst, storage }) => {
		const first = await startFirst({ timeout: 30 });
		await first.engine.drain();
		const left = await storage.get("execution", first.id);
		assert.ok(left !== undefined);
		const earlier = toTimestamp(clock.now() - 31_000_000);
		const log = left.log.map(({ status }) => ({ status, timestamp: earlier }));
		await storage.remove("execution", { where: { id: first.id } });
		await storage.insert("execution", [{ ...left, log }]);
		const ended = await (await startNode()).settled(first.id);
		assert.equal(ended.status, "timeout");
		assert.match(String(ended.result?.["error"]), /30 seconds/);
		assert.equal(outside.works.get(first.id)?.stopped, true);
	},
	long,
);

scene("what another machine has left is not looked for here before its time", async ({ outside, startNode, startFirst, storage }) => {
	const first = await startFirst();
	await first.engine.drain();
	await storage.update("execution", first.id, { run_state: { hostname: "elsewhere", state: {} } });
	const second = await startNode();
	const later = clock.now() + lease * 3_000_000;
	await until(() => clock.now() > later);
	assert.equal(outside.attached.length, 1);
	await storage.update("execution", first.id, { lease_expires_at: toTimestamp(clock.now()) });
	await until(() => outside.attached.length === 2);
	outside.end(first.id);
	assert.equal((await second.settled(first.id)).status, "succeeded");
});

scene("a run of a runner without recovery is not left going", async ({ startNode }) => {
	const node = await startNode();
	const { id } = await node.submit({ outcome: "hang" });
	await node.settled(id, "running");
	await node.engine.drain();
	assert.equal((await node.settled(id)).status, "abandoned");
});

test.run();
