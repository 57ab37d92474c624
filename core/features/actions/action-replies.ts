import type { ActionEntity, ParameterSchema } from "../../contract/index.ts";
import { type Reply, replyJson } from "../../http/replies.ts";
import type { RouteContext } from "../../http/route.ts";
import { presentWithinBudget, type secretsQuery, toRecordVisibility } from "../../http/secret-presentation.ts";
import { toWarningHeaders } from "../../http/warnings.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { findDefaultProblems } from "../../language/parameters/check-defaults.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { hasParameters, toAction } from "./records-exports.ts";
import type { RouteEngine } from "./route-engine.ts";

/** Returns the API records of actions. Defaults of secret parameters are masked like other secret values. */
export async function toActions(
	context: RouteContext<RouteEngine, typeof secretsQuery>,
	actions: readonly ActionEntity[],
): Promise<readonly WireRecord[]> {
	const presentation = toRecordVisibility(context);
	const known = await readRunnerParameters(context, actions);
	return presentWithinBudget(actions, (action, index) => toAction(action, known[index] ?? {}, presentation));
}

/** Returns the API records of actions, with the parameters of their runner types merged into their own. */
export async function toOverviews(
	context: RouteContext<RouteEngine, typeof secretsQuery>,
	actions: readonly ActionEntity[],
): Promise<readonly WireRecord[]> {
	const presentation = toRecordVisibility(context);
	const known = await readRunnerParameters(context, actions);
	return presentWithinBudget(actions, (action, index) => {
		if (!hasParameters(action)) return toAction(action, {}, presentation);
		const parameters = mergeSchemas(known[index] ?? {}, action.parameters);
		return toAction({ ...action, parameters }, {}, presentation);
	});
}

/** Returns the parameters of each action's runner type; an empty list if the actions were read without their parameters. */
async function readRunnerParameters(
	{ engine }: Pick<RouteContext<RouteEngine>, "engine">,
	actions: readonly ActionEntity[],
): Promise<readonly ParameterSchema[]> {
	return actions.some(hasParameters) ? engine.actions.runnerParameters(actions) : [];
}

/** Replies with one action. */
export async function replyAction(
	context: RouteContext<RouteEngine, typeof secretsQuery>,
	action: ActionEntity,
	status = 200,
): Promise<Reply> {
	const [record] = await toActions(context, [action]);
	return replyJson(record, status);
}

/** Replies with an action that was written, and warns of defaults that its parameters do not allow. */
export async function replyWritten(
	context: RouteContext<RouteEngine, typeof secretsQuery>,
	action: ActionEntity,
	status = 200,
): Promise<Reply> {
	const [runnerParameters] = await context.engine.actions.runnerParameters([action]);
	// A warning may quote the default, so skip secret parameters: the caller may not have seen their stored defaults.
	const shown = Object.fromEntries(Object.entries(action.parameters).filter(([, { secret }]) => secret !== true));
	const warnings = findDefaultProblems(shown, runnerParameters);
	const reply = await replyAction(context, action, status);
	return { ...reply, headers: { ...reply.headers, ...toWarningHeaders(warnings) } };
}
