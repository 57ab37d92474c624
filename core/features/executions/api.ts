import type { RunAction } from "./runs-exports.ts";
import type { EventFeeds, Events } from "./stream-events-exports.ts";

/** Members that this feature adds to the engine. */
export interface ExecutionsApi {
	/** Runs an action and gives access to its output as it is written and to its completed execution. */
	readonly run: RunAction;
	readonly events: Events & EventFeeds;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends ExecutionsApi {}
}
