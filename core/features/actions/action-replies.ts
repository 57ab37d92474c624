import type { ActionEntity } from "../../contract/index.ts";
import { presentRecords, type secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { type Reply, replyJson } from "../../http/replies.ts";
import type { RouteContext } from "../../http/route.ts";
import { toWarningHeaders } from "../../http/warnings.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { findDefaultProblems } from "../../language/parameters/check-defaults.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { hasParameters, toAction } from "./records-exports.ts";
import type { ActionRouteServices } from "./route-services.ts";

type Context = RouteContext<ActionRouteServices, typeof secretsQuery>;

/** Returns the API records of actions. Defaults of secret parameters are masked like other secret values. */
export function toActions(context: Context, actions: readonly ActionEntity[]): Promise<readonly WireRecord[]> {
	return present(context, actions, toAction);
}

/** Returns the API records of actions, with the parameters of their runner types merged into their own. */
export function toOverviews(context: Context, actions: readonly ActionEntity[]): Promise<readonly WireRecord[]> {
	return present(context, actions, (action, runnerParameters, visibility) => {
		if (!hasParameters(action)) return toAction(action, {}, visibility);
		return toAction({ ...action, parameters: mergeSchemas(runnerParameters, action.parameters) }, {}, visibility);
	});
}

/** Returns a record for each action. The parameters of the runner types are read only if the actions were read with their parameters. */
async function present(context: Context, actions: readonly ActionEntity[], toRecord: typeof toAction): Promise<readonly WireRecord[]> {
	const visibility = toRecordVisibility(context);
	const known = actions.some(hasParameters) ? await context.engine.actions.runnerParameters(actions) : [];
	return presentRecords(actions, (action, index) => toRecord(action, known[index] ?? {}, visibility));
}

export async function replyAction(context: Context, action: ActionEntity, status = 200): Promise<Reply> {
	const [record] = await toActions(context, [action]);
	return replyJson(record, status);
}

/** Replies with an action that was written, and warns of defaults that its parameters do not allow. */
export async function replyWritten(context: Context, action: ActionEntity, status = 200): Promise<Reply> {
	const [runnerParameters] = await context.engine.actions.runnerParameters([action]);
	// A warning may quote the default, so skip secret parameters: the caller may not have seen their stored defaults.
	const shown = Object.fromEntries(Object.entries(action.parameters).filter(([, { secret }]) => secret !== true));
	const warnings = findDefaultProblems(shown, runnerParameters);
	const reply = await replyAction(context, action, status);
	return { ...reply, headers: { ...reply.headers, ...toWarningHeaders(warnings) } };
}
