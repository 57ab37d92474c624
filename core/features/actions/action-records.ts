import type { ActionEntity } from "../../contract/index.ts";
import { presentTogether, type secretsQuery, toPresentation } from "../../http/present.ts";
import type { WireRecord } from "../../http/record.ts";
import { type Reply, replyJson } from "../../http/respond.ts";
import type { RouteContext } from "../../http/route.ts";
import { maskDefaults } from "../../kernel/secrets/secret-defaults.ts";
import { toAction } from "./records-api.ts";
import type { RouteNeeds } from "./route-needs.ts";

/** Actions as they are answered; defaults of secret parameters are secret values too. */
export async function toActions(
	context: RouteContext<RouteNeeds, typeof secretsQuery>,
	actions: readonly ActionEntity[],
): Promise<readonly WireRecord[]> {
	const presentation = toPresentation(context);
	const merged = await context.engine.actions.mergedParameters(actions);
	return presentTogether(actions, (action, index) => toAction(action, merged[index] ?? {}, presentation));
}

/** Actions whose parameters are merged with those of their runner types. */
export async function toOverviews(
	context: RouteContext<RouteNeeds, typeof secretsQuery>,
	actions: readonly ActionEntity[],
): Promise<readonly WireRecord[]> {
	const presentation = toPresentation(context);
	const merged = await context.engine.actions.mergedParameters(actions);
	return presentTogether(actions, (action, index) => {
		const parameters = merged[index] ?? {};
		return { ...toAction(action, parameters, presentation), parameters: presentation.masked ? maskDefaults(parameters) : parameters };
	});
}

/** Answer with one action. */
export async function replyAction(
	context: RouteContext<RouteNeeds, typeof secretsQuery>,
	action: ActionEntity,
	status = 200,
): Promise<Reply> {
	const [record] = await toActions(context, [action]);
	return replyJson(record, status);
}
