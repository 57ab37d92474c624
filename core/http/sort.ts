export type SortOrder<F extends string> = readonly (readonly [field: F, direction: "asc" | "desc"])[];

/** Read `sort`: names separated by commas, `-` in front for descending. Unknown names are skipped. A plus sign may have become a blank. */
export function parseSort<F extends string>(text: string | undefined, fields: ReadonlyMap<string, F>): SortOrder<F> {
	const order: [F, "asc" | "desc"][] = [];
	for (const entry of text?.split(",") ?? []) {
		const field = fields.get(entry.trim().replace(/^[-+]/, ""));
		if (field !== undefined) order.push([field, entry.trim().startsWith("-") ? "desc" : "asc"]);
	}
	return order;
}
