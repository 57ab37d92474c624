import type { Persist } from "../plugins/startup-retry.ts";

/** Something that takes on work by itself: claims it, fires it, runs it. */
export interface WorkLoop {
	/** Also again, after `stop`. */
	start(): Promise<void> | void;
	/** Takes on nothing from the moment of the call; resolves when nothing is being taken on any more. */
	stop(): Promise<void>;
}

/** Everything by which this node takes on work. */
export interface Work {
	/** One after another, in order; each for as long as the storage keeps it from starting. */
	start(): Promise<void>;
	/** All at once: each is told before the first is waited for. */
	stop(): Promise<void>;
}

export function createWork(loops: readonly WorkLoop[], persist: Persist): Work {
	return {
		async start() {
			for (const loop of loops) await persist(async () => loop.start());
		},
		async stop() {
			await Promise.all(loops.map((loop) => loop.stop()));
		},
	};
}
