import { SvcError } from "../contract/index.ts";
import { openToAuthenticated } from "../features/routes.ts";
import type { AccessGuard } from "../http/access-guard.ts";
import type { HttpFeature } from "../http/http-feature.ts";
import { createHttpInterface, type HttpInterface, type HttpInterfaceOptions } from "../http/http-interface.ts";
import { assertPageEntries } from "../http/page-entries.ts";
import { rootRoutes } from "../http/root-routes.ts";
import type { Route } from "../http/route.ts";
import { isGlobalPermission, isPermissionType, type PermissionType } from "../kernel/basics/permission-types.ts";
import type { Engine } from "../kernel/engine-api.ts";

export type { FetchOptions } from "../http/embedding.ts";
export type { HttpInterface } from "../http/http-interface.ts";
export type { Component, Method, Route } from "../http/route.ts";
export type { Permission } from "../http/route-permission.ts";

/** Options of the HTTP interface. */
export interface HttpOptions extends Omit<HttpInterfaceOptions<Engine>, "guard" | "recorder" | "routes" | "page"> {}

/**
 * Creates the HTTP interface of an engine from the routes of its features. Throws if a route declares no permission, or if a page entry
 * lists no route. Throws `SVC_CONFIG` if two routes have the same method and path.
 */
export function createServiceHttp(options: HttpOptions): HttpInterface {
	const { engine } = options;
	const features: readonly HttpFeature[] = Object.values(engine.features);
	const routes = [...rootRoutes, ...features.flatMap((feature) => feature.routes ?? [])];
	assertPageEntries(features);
	assertDistinctRoutes(routes);
	const names = Object.keys(engine.features);
	const page = features.find((feature) => feature.page !== undefined)?.page;
	const recorder = features.find(({ auditHook }) => auditHook !== undefined)?.auditHook;
	return createHttpInterface({ ...options, routes, page: page && (() => page(names)), guard: createGuard(engine), recorder });
}

/** Returns the engine's credentials and permissions in the form that the HTTP layer expects. */
export function createGuard({ credentials, access }: Pick<Engine, "credentials" | "access">): AccessGuard {
	return {
		authenticate: (offered) => credentials.authenticate(offered),
		// The casts are safe: the permissions of all routes are checked with `isPermission` before the first request.
		allows: (principal, permission, resource) => access.allows(principal, permission as PermissionType, resource),
		assert: (principal, permission, resource) => access.assert(principal, permission as PermissionType, resource),
		isPermission: isPermissionType,
		isGlobal: (permission) => isGlobalPermission(permission as PermissionType),
		openToAuthenticated,
	};
}

/** Throws `SVC_CONFIG` if two routes have the same method and path: only the first of them would ever answer. */
function assertDistinctRoutes(routes: readonly Route[]): void {
	const seen = new Set<string>();
	for (const { component, method, path } of routes) {
		const key = `${component} ${method} ${path}`;
		if (seen.has(key)) throw new SvcError("SVC_CONFIG", `features: two features define the route ${method} ${path}`);
		seen.add(key);
	}
}
