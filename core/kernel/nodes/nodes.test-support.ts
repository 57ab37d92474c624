import type { SvcConfig } from "../../contract/index.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";
import { createSharedBus } from "../../testing/engine/shared-bus.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "../../testing/engine/shared-storage.test-support.ts";

export interface TestNode extends TestEngine {
	readonly door: Door;
}

export interface NodesTest extends SharedStorage {
	/** A node of its own on the shared storage, and on the shared bus unless another is given; stopped at the end of the test. */
	startNode(options?: Omit<TestEngineOptions, "storage"> & { readonly onCall?: OnCall }): Promise<TestNode>;
}

/** Leases that pass quickly. */
export const lease = 0.3;

/** Run with several nodes on one storage. */
export async function withNodes(run: (test: NodesTest) => Promise<void>): Promise<void> {
	const shared = createSharedStorage();
	const eventBus = createSharedBus();
	const nodes: TestNode[] = [];
	try {
		await run({
			...shared,
			async startNode({ onCall, options = {}, ...rest } = {}) {
				const door = shared.createDoor(onCall);
				const scheduler: SvcConfig["scheduler"] = { lease, poll_interval: 60, ...options.scheduler };
				const node = { ...(await startEngine({ eventBus, ...rest, storage: door.plugin, options: { ...options, scheduler } })), door };
				nodes.push(node);
				return node;
			},
		});
	} finally {
		for (const node of nodes) {
			node.door.open();
			await node.stop();
		}
		await shared.release();
	}
}

/** Wait for something that happens by itself. */
export async function until(condition: () => Promise<boolean> | boolean, what: string, seconds = 10): Promise<void> {
	const deadline = performance.now() + seconds * 1_000;
	while (!(await condition())) {
		if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}

/** What a promise resolves with, provided that it does so in time. */
export async function within<T>(seconds: number, promise: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`not within ${seconds} s`)), seconds * 1_000);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
