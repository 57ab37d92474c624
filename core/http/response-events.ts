import { channel } from "node:diagnostics_channel";
import type { Reply } from "./replies.ts";
import type { Route } from "./route.ts";

/** An answer of a route, before the headers that every answer carries. */
export interface Answered {
	readonly route: Route;
	readonly url: URL;
	readonly reply: Reply;
}

/** Told of every answer of a route. Only tests listen: they compare it with what the route declares. */
export const answered = channel("svc:http:answered");
