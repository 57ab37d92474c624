import type { Executions, Output } from "../../kernel/executions/executions-api.ts";
import type { Actions } from "../actions/actions-api.ts";
import type { TriggersApi } from "../triggers/triggers-api.ts";
import type { EventFeeds } from "./events-api.ts";

/** Members of the engine that the routes use. */
export interface RouteNeeds {
	readonly executions: Executions;
	readonly output: Output;
	readonly events: EventFeeds;
	readonly actions: Actions;
	readonly triggers: TriggersApi;
}
