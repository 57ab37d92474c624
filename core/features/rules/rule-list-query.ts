import { selectionQuery } from "../../http/field-selection.ts";
import { pagingQuery } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { secretsQuery, showsSecrets } from "../../http/record-visibility.ts";
import { selectionRulesOf } from "../../http/reply-list.ts";
import type { RouteContext } from "../../http/route.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { RuleRouteServices } from "./route-services.ts";
import type { RuleFilter, RuleView } from "./rules-exports.ts";

/** Query parameters of the lists of rules. */
export const ruleListQuery = {
	...pagingQuery,
	...selectionQuery,
	...secretsQuery,
	id: "string",
	name: "list",
	pack: "string",
	action: "string",
	trigger: "string",
	enabled: "boolean",
	user: "string",
} as const;

export const ruleSelection = selectionRulesOf(
	[
		...["id", "uid", "ref", "name", "pack", "description", "enabled", "type", "trigger", "criteria", "action", "context", "tags"],
		...["metadata_file", "problems"],
	],
	["id", "ref"],
);

export function toRuleFilter(query: RouteContext<RuleRouteServices, typeof ruleListQuery>["query"]): RuleFilter {
	const { id, name, pack, action, trigger, enabled, user } = query;
	return { ...(id !== undefined && { id: parseIds(id) }), ...withoutUndefined({ name, pack, action, trigger, enabled, user }) };
}

/** Returns rules with secrets masked, unless the caller may see them and has requested them. */
export async function toShownRules(
	context: RouteContext<RuleRouteServices, typeof secretsQuery>,
	views: readonly RuleView[],
): Promise<readonly RuleView[]> {
	const isMasked = context.options.api.mask_secrets && !showsSecrets(context);
	return isMasked ? context.engine.rules.mask(views) : views;
}
