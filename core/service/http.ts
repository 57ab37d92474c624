import { routes } from "../features/routes.ts";
import { createRoutedHttp, type Http, type HttpParts } from "../http/http.ts";
import type { Engine } from "../kernel/engine-api.ts";
import { createGuard } from "./guard.ts";

export type { Http } from "../http/http.ts";
export type { FetchOptions } from "../http/mount-api.ts";
export type { Permission } from "../http/permissions.ts";
export type { Component, Method, Route } from "../http/route.ts";

/** What the HTTP interface is made from. */
export interface HttpOptions extends Omit<HttpParts<Engine>, "guard" | "routes"> {}

/** The HTTP interface over an engine. Throws when a route declares no permission. */
export function createHttp(options: HttpOptions): Http {
	return createRoutedHttp({ ...options, routes, guard: createGuard(options.engine) });
}
