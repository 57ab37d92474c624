import type { Executions, OutputAccess } from "../../kernel/executions/executions-api.ts";
import type { Actions } from "../actions/actions-exports.ts";
import type { TriggersApi } from "../triggers/triggers-exports.ts";
import type { EventFeeds } from "./stream-events-exports.ts";

export interface ExecutionRouteServices {
	readonly executions: Executions;
	readonly output: OutputAccess;
	readonly events: EventFeeds;
	readonly actions: Actions;
	readonly triggers: TriggersApi;
}
