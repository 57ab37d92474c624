import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import {
	defineRunner,
	type ExecutionEntity,
	type JsonObject,
	type PolicyEntity,
	type RunnerPlugin,
	type StoragePlugin,
} from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createRandom, type Random } from "../guarantees/random.test-support.ts";
import { startEngine, type TestEngine } from "./engine.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "./shared-storage.test-support.ts";

/** What a `counted` runner has seen, on all nodes. */
export interface Counts {
	/** Names of the runs that began, in order. */
	readonly began: string[];
	/** Most runs at once, by group. */
	readonly peak: Map<string, number>;
	/** Runs that go on now, by group. */
	readonly running: Map<string, number>;
	/** End what runs now, and everything later at once. */
	release(): void;
	readonly runner: RunnerPlugin;
}

/** A lease that runs out just now. Of one that ran out long ago a node that runs hears half a minute later, as it has looked there before. */
export function runsOut(): { readonly lease_expires_at: string } {
	return { lease_expires_at: toTimestamp(Date.now() * 1_000) };
}

/** A runner that counts who runs at the same time. A run takes as long as `take` says. */
export function createCounts(take: (name: string) => Promise<void> = () => Promise.resolve()): Counts {
	const began: string[] = [];
	const peak = new Map<string, number>();
	const running = new Map<string, number>();
	let release = () => {};
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	const move = (group: string, by: number) => {
		const count = (running.get(group) ?? 0) + by;
		running.set(group, count);
		peak.set(group, Math.max(count, peak.get(group) ?? 0));
	};
	const runner = defineRunner("counted", () => ({
		description: "Counts who runs at the same time.",
		capabilities: { cancellation: true },
		parameters: {
			name: { type: "string", default: "" },
			group: { type: "string", default: "a" },
			hold: { type: "boolean", default: false },
			outcome: { type: "string", enum: ["succeed", "fail"], default: "succeed" },
		},
		async run({ runnerParameters: { name, group, hold, outcome }, signal }) {
			began.push(name);
			move(group, 1);
			move("", 1);
			try {
				const canceled = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
				await Promise.race([hold ? released : take(name), canceled]);
			} finally {
				move(group, -1);
				move("", -1);
			}
			return { succeeded: outcome === "succeed" && !signal.aborted, result: {} };
		},
	}));
	return { began, peak, running, release, runner: runner() };
}

export interface Node extends TestEngine {
	readonly door: Door;
}

interface NodeOptions {
	/** Seconds. */
	readonly lease?: number;
	readonly poolSize?: number;
	/** Seconds; by default short. */
	readonly pollInterval?: number;
	/** Whether a stop waits for runs. */
	readonly graceful?: boolean;
	readonly startsInline?: boolean;
}

export interface Cluster extends SharedStorage {
	/** A node of its own that hears nothing of the others, whatever the backend; stopped at the end of the test. Has the action `default.counted`. */
	startNode(options?: NodeOptions & { readonly onCall?: OnCall }): Promise<Node>;
}

/** One test with nodes that share a storage and nothing else. */
export function withCluster(name: string, counts: () => Counts, body: (cluster: Cluster, counts: Counts) => Promise<void>): void {
	test(name, async () => {
		const shared = createSharedStorage();
		const counted = counts();
		const nodes: Node[] = [];
		try {
			await body(
				{
					...shared,
					async startNode({ onCall, ...options } = {}) {
						const door = shared.createDoor(onCall);
						const node = { ...(await startCounted(door.plugin, counted, options)), door };
						nodes.push(node);
						return node;
					},
				},
				counted,
			);
		} finally {
			counted.release();
			for (const node of nodes) {
				node.door.open();
				await node.stop();
			}
			await shared.release();
		}
	});
}

/** The same test for nodes that start new executions in the write that stores them, and for nodes that store them first. */
export function withEachAdmission(name: string, counts: () => Counts, body: (cluster: Cluster, counts: Counts) => Promise<void>): void {
	for (const startsInline of [true, false]) {
		withCluster(`${name} (${startsInline ? "started inline" : "stored first"})`, counts, (cluster, counted) =>
			body({ ...cluster, startNode: (options) => cluster.startNode({ startsInline, ...options }) }, counted),
		);
	}
}

/** A started engine with the action `default.counted`. */
export async function startCounted(
	storage: StoragePlugin | undefined,
	{ runner }: Counts,
	{ lease = 15, poolSize = 60, pollInterval = 0.05, graceful = true, startsInline = true }: NodeOptions = {},
): Promise<TestEngine> {
	const node = await startEngine({
		startsInline,
		...(storage !== undefined && { storage }),
		runners: [runner],
		options: {
			scheduler: { lease, poll_interval: pollInterval },
			actionrunner: { actions_pool_size: poolSize, graceful_shutdown: graceful },
			timersengine: { enable: false },
			log: { level: "error" },
		},
	});
	await node.engine.actions.create({ name: "counted", runner_type: "counted" }).catch(() => undefined);
	return node;
}

/** Submit to `default.counted`. */
export const submitTo = ({ submit }: TestEngine, parameters: JsonObject) => submit(parameters, { action: "default.counted" });

/** A policy of `default.counted`. */
export function limit({ engine }: Pick<TestEngine, "engine">, parameters: JsonObject, changes: object = {}): Promise<PolicyEntity> {
	const policy_type = "attributes" in parameters ? "action.concurrency.attr" : "action.concurrency";
	const name = policy_type.replaceAll(".", "_");
	return engine.policies.create({ name, pack: "default", resource_ref: "default.counted", policy_type, parameters, ...changes });
}

/** Makes calls take a little while, so that those of several nodes mix. */
export function dawdle(random: Random): OnCall {
	return async () => {
		for (let turn = random(4); turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
	};
}

export const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

/** Counts of runs that take some milliseconds. */
export function brief(seed = 1): Counts {
	const random = createRandom(seed);
	return createCounts(() => delay(random(4)));
}

/** Submit as many, one after the other. */
export async function submitAll(node: TestEngine, count: number, parameters: object = {}): Promise<ExecutionEntity[]> {
	const submitted: ExecutionEntity[] = [];
	for (const name of names(count)) submitted.push(await submitTo(node, { name, ...parameters }));
	return submitted;
}

export async function settleAll(node: TestEngine, executions: readonly ExecutionEntity[]): Promise<ExecutionEntity[]> {
	return Promise.all(executions.map(({ id }) => node.settled(id)));
}
