import type { Feature } from "../kernel/feature.ts";
import type { Route } from "./route.ts";

/** A feature that answers requests, too. */
export interface ServedFeature<Api extends object = object> extends Feature<Api> {
	/** Each says itself who may use it; the handlers use the members of the engine that `api` gives it. */
	readonly routes?: readonly Route[];
}
