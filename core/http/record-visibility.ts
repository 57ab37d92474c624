import { toActionResource } from "../kernel/basics/refs.ts";
import { waitForLoopBudget } from "../language/event-loop-budget.ts";
import { maskWithinBudget } from "../language/parameters/schema-masking.ts";
import { toLoggedPath } from "./redacted-path.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";

/** Rules by which records are shown to a caller. */
export interface RecordVisibility {
	/** Base of the member `web_url`, without a trailing slash. */
	readonly webUrl: string;
	/** True if values of secret parameters are masked. */
	readonly masked: boolean;
	/**
	 * Returns true if the caller may view executions of an action. A caller that may only list them gets them without the result and the
	 * submitted values.
	 */
	mayView(actionRef: string): boolean;
	/**
	 * True if a caller without the permission to view the execution still sees the values that this caller has just submitted.
	 * Default false.
	 */
	readonly showsGiven?: boolean;
}

/** Query parameter that requests the real values of secrets. Only administrators get them; other callers get masked values and no error. */
export const secretsQuery = { show_secrets: "boolean" } as const;

/** Returns true if the caller requests secrets and may see them. Logs that secrets are shown, and to which user. */
export function showsSecrets({ query, principal, logger, request }: RouteContext<unknown, typeof secretsQuery>): boolean {
	if (query.show_secrets !== true || !principal.isAdmin) return false;
	logger.info("secrets shown", { user: principal.username, path: toLoggedPath(new URL(request.url).pathname) });
	return true;
}

/** Returns true if a reply of the route may contain plaintext secrets: an administrator requested them, or masking is off. */
export function mayContainSecrets({ query: schema }: Pick<Route, "query">, { query, principal, options }: RouteContext): boolean {
	if (schema === undefined || !Object.hasOwn(schema, "show_secrets")) return false;
	return !options.api.mask_secrets || (query["show_secrets"] === true && principal.isAdmin);
}

/**
 * Converts all records of a reply for its caller. Waits for a later turn of the event loop if the budget of the current one is used up,
 * because masking by the schemas of actions may take long. Otherwise, which is the usual case, returns no promise. That is faster, and
 * every state of every execution is converted here.
 */
export function presentRecords<T, R>(items: readonly T[], present: (item: T, index: number) => R): Promise<R[]> | R[] {
	const presentAll = () => maskWithinBudget(() => items.map(present));
	const nextTurn = waitForLoopBudget();
	return nextTurn === undefined ? presentAll() : nextTurn.then(presentAll);
}

/** Converts one record for its caller. Waits for the event loop like `presentRecords`. */
export function presentRecord<R>(present: () => R): Promise<R> | R {
	const nextTurn = waitForLoopBudget();
	return nextTurn === undefined ? present() : nextTurn.then(present);
}

/** Returns the rules by which records are shown to the caller, with plaintext secrets if an administrator requests them. */
export function toRecordVisibility(context: RouteContext<unknown, typeof secretsQuery>): RecordVisibility {
	const presentation = toDefaultVisibility(context);
	return showsSecrets(context) ? { ...presentation, masked: false } : presentation;
}

/** Returns the rules by which routes without `show_secrets` show records to the caller. */
export function toDefaultVisibility(context: HttpContext & Pick<RouteContext, "principal">): RecordVisibility {
	const { options, apiUrl, guard, principal } = context;
	const base = options.webui.webui_base_url || apiUrl();
	return {
		webUrl: base.replace(/\/+$/, ""),
		masked: options.api.mask_secrets,
		mayView: (ref) => principal.isAdmin || guard.allows(principal, "execution_view", toActionResource(ref)),
	};
}
