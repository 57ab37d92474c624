import { SvcError } from "../contract/index.ts";
import type { HttpFeature } from "../http/http-feature.ts";
import { rootRoutes } from "../http/root-routes.ts";

/**
 * Throws `SVC_CONFIG` if two routes of features have the same component, method and path: only the first of them would ever answer. The
 * names of variables in a path make no difference.
 */
export function assertDistinctRoutes(features: Readonly<Record<string, HttpFeature>>): void {
	/** Texts that say which feature answers, by route. */
	const answers = new Map<string, string>();
	const ofFeatures = Object.entries(features).map(([name, { routes = [] }]) => [`"${name}"`, routes] as const);
	for (const [owner, routes] of [["every service", rootRoutes] as const, ...ofFeatures]) {
		for (const { component, method, path, aliases = [] } of routes) {
			for (const onePath of [path, ...aliases]) {
				const key = `${component} ${method} ${onePath.replaceAll(/:\w+/g, ":")}`;
				const other = answers.get(key);
				if (other !== undefined)
					throw new SvcError("SVC_CONFIG", `features: ${owner} adds the route ${method} ${onePath}, but ${other} already`);
				answers.set(key, `${owner} answers ${method} ${onePath}`);
			}
		}
	}
}
