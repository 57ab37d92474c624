import type { StartupRetry } from "../plugins/startup-retry.ts";

/** Background loop of a role, which starts work by itself, such as the scheduler. */
export interface BackgroundLoop {
	/** Starts the loop; may be called again after `stop`. */
	start(): Promise<void> | void;
	/** Stops the loop: it starts no work from the call on. Resolves when no work is being started any more. */
	stop(): Promise<void>;
}

/** All background loops of this node. */
export interface BackgroundLoops {
	/** Starts the loops one after another, in order. While the storage is unavailable, repeats the start of a loop. */
	start(): Promise<void>;
	/** Stops all loops at the same time, and waits until they have stopped. */
	stop(): Promise<void>;
}

/** Combines the background loops of a node. */
export function createRoleLoops(loops: readonly BackgroundLoop[], retryStartup: StartupRetry): BackgroundLoops {
	return {
		async start() {
			for (const loop of loops) await retryStartup(async () => loop.start());
		},
		async stop() {
			await Promise.all(loops.map((loop) => loop.stop()));
		},
	};
}
