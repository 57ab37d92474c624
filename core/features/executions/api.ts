import type { EventFeeds, Events } from "./events-api.ts";
import type { RunAction } from "./runs-api.ts";

/** What the engine has of this feature. */
export interface ExecutionsApi {
	/** Run an action: its output as it is written, and its end. */
	readonly run: RunAction;
	readonly events: Events & EventFeeds;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends ExecutionsApi {}
}
