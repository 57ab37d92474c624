import type { Route } from "../../http/route.ts";

/** Returns routes below `/executions` with their alias below `/actionexecutions`. */
export function withActionExecutionsAlias<E>(routes: readonly Route<E>[]): readonly Route<E>[] {
	return routes.map((route) => ({ ...route, aliases: [route.path.replace("/executions", "/actionexecutions")] }));
}
