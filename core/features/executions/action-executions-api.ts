import type { Route } from "../../http/route.ts";

/** Routes below `/executions`, which `/actionexecutions` is another name for. */
export function withActionExecutions<E>(routes: readonly Route<E>[]): readonly Route<E>[] {
	return routes.map((route) => ({ ...route, aliases: [route.path.replace("/executions", "/actionexecutions")] }));
}
