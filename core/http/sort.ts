/** Fields to sort by, the most significant first. */
export type OrderBy<F extends string> = readonly (readonly [field: F, direction: "asc" | "desc"])[];

/**
 * Parses `sort`: names separated by commas, with a leading `-` for descending order. Unknown names are skipped. A leading `+` may have been
 * decoded as a space.
 */
export function parseSort<F extends string>(text: string | undefined, fields: ReadonlyMap<string, F>): OrderBy<F> {
	const order: [F, "asc" | "desc"][] = [];
	for (const entry of text?.split(",") ?? []) {
		const field = fields.get(entry.trim().replace(/^[-+]/, ""));
		if (field !== undefined) order.push([field, entry.trim().startsWith("-") ? "desc" : "asc"]);
	}
	return order;
}
