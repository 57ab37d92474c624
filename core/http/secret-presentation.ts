import { toActionResource } from "../kernel/basics/refs.ts";
import { roomInTurn } from "../language/event-loop-budget.ts";
import { maskTogether } from "../language/parameters/schema-masking.ts";
import { toLoggedPath } from "./redacted-path.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";

/** How a record is shown. */
export interface Presentation {
	/** Base of `web_url`. */
	readonly webUrl: string;
	/** Whether values of secret parameters are replaced. */
	readonly masked: boolean;
	/**
	 * Whether executions of an action may be viewed. Where only their existence may be known, they are shown without result and without
	 * what their callers gave.
	 */
	mayView(actionRef: string): boolean;
	/** Shows what the caller has just given to callers as well who may not view the execution. Default false. */
	readonly showsGiven?: boolean;
}

/** Query parameter that asks for the real values of secrets. Only administrators get them; others get masked ones, without an error. */
export const secretsQuery = { show_secrets: "boolean" } as const;

/** Whether an answer shows secrets; what it shows then leaves a line in the log. */
export function showsSecrets({ query, principal, logger, request }: RouteContext<unknown, typeof secretsQuery>): boolean {
	if (query.show_secrets !== true || !principal.isAdmin) return false;
	logger.info("secrets shown", { user: principal.username, path: toLoggedPath(new URL(request.url).pathname) });
	return true;
}

/** True if an answer of the route holds secrets in clear where there are any: they were asked for, or masking is off. */
export function mayHoldSecrets({ query: schema }: Pick<Route, "query">, { query, principal, options }: RouteContext): boolean {
	if (schema === undefined || !Object.hasOwn(schema, "show_secrets")) return false;
	return !options.api.mask_secrets || (query["show_secrets"] === true && principal.isAdmin);
}

/**
 * Show all records of an answer, as one piece of work that waits for its turn. Masking them may take a while, as schemas say how. No promise where
 * there is room in this turn, as there mostly is: every state of every execution is shown.
 */
export function presentTogether<T, R>(items: readonly T[], present: (item: T, index: number) => R): Promise<R[]> | R[] {
	const presentAll = () => maskTogether(() => items.map(present));
	const turn = roomInTurn();
	return turn === undefined ? presentAll() : turn.then(presentAll);
}

/** The same for one record. */
export function presentOne<R>(present: () => R): Promise<R> | R {
	const turn = roomInTurn();
	return turn === undefined ? present() : turn.then(present);
}

/** How the records of an answer are shown to its caller. */
export function toPresentation(context: RouteContext<unknown, typeof secretsQuery>): Presentation {
	const presentation = toMaskedPresentation(context);
	return showsSecrets(context) ? { ...presentation, masked: false } : presentation;
}

/** How records are shown where nobody may ask for secrets. */
export function toMaskedPresentation(context: HttpContext & Pick<RouteContext, "principal">): Presentation {
	const { options, apiUrl, guard, principal } = context;
	const base = options.webui.webui_base_url || apiUrl();
	return {
		webUrl: base.replace(/\/+$/, ""),
		masked: options.api.mask_secrets,
		mayView: (ref) => principal.isAdmin || guard.allows(principal, "execution_view", toActionResource(ref)),
	};
}
