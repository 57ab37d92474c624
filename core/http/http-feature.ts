import type { Feature } from "../kernel/feature.ts";
import type { Reply } from "./replies.ts";
import type { Route } from "./route.ts";

/** A feature that answers requests, too. */
export interface ServedFeature<Api extends object = object> extends Feature<Api> {
	/** Each says itself who may use it; the handlers use the members of the engine that `api` gives it. */
	readonly routes?: readonly Route[];
	/**
	 * What everybody is shown who opens the root of the service in a browser, before they have signed in: it must tell nothing. The first
	 * feature that has one gives it. Default: a page that says where to look instead.
	 */
	readonly page?: () => Reply;
}
