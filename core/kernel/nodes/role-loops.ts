import type { StartupRetry } from "../plugins/startup-retry.ts";

/** Background loop that starts work by itself, such as the scheduler or the timers. */
export interface BackgroundLoop {
	/** Starts the loop; may be called again after `stop`. */
	start(): Promise<void> | void;
	/** Stops the loop: it starts no work from the moment of the call. Resolves when no work is being started. */
	stop(): Promise<void>;
}

/** All background loops of this node. */
export interface RoleLoops {
	/** Starts the loops one after another, in order. While the storage is unavailable, repeats the start of a loop. */
	start(): Promise<void>;
	/** Stops all loops at once, then waits for them. */
	stop(): Promise<void>;
}

/** Combines the background loops of a node. */
export function createRoleLoops(loops: readonly BackgroundLoop[], retryStartup: StartupRetry): RoleLoops {
	return {
		async start() {
			for (const loop of loops) await retryStartup(async () => loop.start());
		},
		async stop() {
			await Promise.all(loops.map((loop) => loop.stop()));
		},
	};
}
