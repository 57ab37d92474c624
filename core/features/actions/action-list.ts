import type { ActionEntity } from "../../contract/index.ts";
import { isSelected, parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { secretsQuery } from "../../http/record-visibility.ts";
import type { Reply } from "../../http/replies.ts";
import { replyList } from "../../http/reply-list.ts";
import type { RouteContext } from "../../http/route.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { ActionRouteServices } from "./route-services.ts";

export const actionListQuery = {
	...pagingQuery,
	...selectionQuery,
	...secretsQuery,
	id: "string",
	name: "list",
	pack: "string",
	tags: "string",
} as const;

/** Members of an action in a response, and the fields from which each is made. */
const members: ReadonlyMap<string, readonly (keyof ActionEntity)[]> = new Map<string, readonly (keyof ActionEntity)[]>([
	["id", ["id"]],
	["uid", ["pack", "name"]],
	["ref", ["ref"]],
	["pack", ["pack"]],
	["name", ["name"]],
	["description", ["description"]],
	["runner_type", ["runner_type"]],
	["entry_point", ["entry_point"]],
	["enabled", ["enabled"]],
	["tags", ["tags"]],
	["notify", ["notify"]],
	["output_schema", ["output_schema"]],
	["metadata_file", ["metadata_file"]],
	// The runner type is needed because it also decides which parameters are secret.
	["parameters", ["parameters", "runner_type"]],
]);
const rules = {
	includable: new Set(members.keys()),
	excludable: new Set(["parameters", "notify"]),
	mandatory: ["id", "ref"],
};

/** Replies with a list of actions, formatted by `present`. The list holds all actions unless a limit is given. */
export async function listActions(
	context: RouteContext<ActionRouteServices, typeof actionListQuery>,
	present: (actions: readonly ActionEntity[]) => Promise<readonly WireRecord[]>,
): Promise<Reply> {
	const { id, name, pack, tags } = context.query;
	const paging = parsePaging(context);
	const selection = parseSelection(context.query, rules);
	const filter = { id: id === undefined ? undefined : parseIds(id), name, pack, tags };
	const fields = [...members].filter(([member]) => isSelected(selection, member)).flatMap(([, made]) => made);
	const page = await context.engine.actions.list(filter, { ...paging, fields });
	return replyList({ ...page, items: await present(page.items) }, paging, selection);
}
