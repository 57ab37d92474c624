import { type ActionAliasEntity, SvcError } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import { createBoundedRegExp } from "../../language/safe-regexp.ts";
import { asOneWork } from "../../language/work-budget.ts";
import type { AliasHelp } from "./aliases-api.ts";

/** What may be written: a line for each format that has something to show. `filter` is a regular expression, in any case. */
export function toHelp(aliases: readonly ActionAliasEntity[], filter: string | undefined, { limit, offset = 0 }: Paging): Page<AliasHelp> {
	const lines = aliases.flatMap(({ pack, description, formats }) =>
		formats.map((format) => ({ pack, display: typeof format === "string" ? format : format.display, description })),
	);
	const shown = lines.filter(({ display }) => display !== "");
	const fits = toFilter(filter);
	const items = asOneWork(() => shown.filter(({ display }) => fits(display)));
	return { items: items.slice(offset, limit === undefined ? undefined : offset + limit), total: items.length };
}

function toFilter(filter: string | undefined): (display: string) => boolean {
	if (filter === undefined) return () => true;
	try {
		const expression = createBoundedRegExp(filter, "i");
		return (display) => expression.test(display);
	} catch (cause) {
		throw new SvcError("SVC_INVALID", "filter: is no regular expression", { cause });
	}
}
