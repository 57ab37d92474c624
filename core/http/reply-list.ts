import type { Page } from "../kernel/basics/pagination.ts";
import { type Selection, type SelectionRules, selectMembers } from "./field-selection.ts";
import { type Paging, toCountHeaders } from "./paging.ts";
import { type Reply, replyJson } from "./replies.ts";
import type { WireRecord } from "./wire-record.ts";

/** Returns rules that allow any of these members to be included or excluded. `mandatory` members are always included. */
export function selectionRulesOf(members: readonly string[], mandatory: readonly string[] = ["id"]): SelectionRules {
	const selectable = new Set(members);
	return { includable: selectable, excludable: selectable, mandatory };
}

/** Returns the reply with a page of a list, with the selected members of each record. */
export function replyList(page: Page<WireRecord>, paging: Paging, selection: Selection | undefined): Reply {
	const records = page.items.map((record) => selectMembers(record, selection));
	return replyJson(records, 200, toCountHeaders(page.total, paging));
}
