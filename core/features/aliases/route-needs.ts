import type { Aliases } from "./aliases-api.ts";

/** What the routes ask of the engine. */
export interface RouteNeeds {
	readonly aliases: Aliases;
}
