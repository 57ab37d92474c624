import type { Executions, OutputAccess } from "../../kernel/executions/executions-api.ts";
import type { Actions } from "../actions/actions-api.ts";
import type { TriggersApi } from "../triggers/triggers-api.ts";
import type { EventFeeds } from "./events-api.ts";

/** Members of the engine that the routes use. */
export interface RouteEngine {
	readonly executions: Executions;
	readonly output: OutputAccess;
	readonly events: EventFeeds;
	readonly actions: Actions;
	readonly triggers: TriggersApi;
}
