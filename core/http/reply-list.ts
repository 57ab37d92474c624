import type { Page } from "../kernel/basics/pagination.ts";
import { type Selection, type SelectionRules, select } from "./field-selection.ts";
import { type Paging, toCountHeaders } from "./paging.ts";
import { type Reply, replyJson } from "./replies.ts";
import type { WireRecord } from "./wire-record.ts";

/** Rules of a record any member of which may be chosen or left out. */
export function selectionOf(members: readonly string[], mandatory: readonly string[] = ["id"]): SelectionRules {
	const known = new Set(members);
	return { known, excludable: known, mandatory };
}

/** Answer with a page of a list. */
export function replyList(page: Page<WireRecord>, paging: Paging, selection: Selection | undefined): Reply {
	const records = page.items.map((record) => select(record, selection));
	return replyJson(records, 200, toCountHeaders(page.total, paging));
}
