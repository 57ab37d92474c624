import type { JsonObject, JsonValue } from "../../../contract/index.ts";

/** Members that a search does not look into. */
const unsearched: ReadonlySet<string> = new Set(["repo_url", "email"]);

/** Entries that fit a query: those whose name does, then those with such a keyword, then the others. */
export function searchIndex(entries: Iterable<JsonObject>, query: string): readonly JsonObject[] {
	const wanted = query.toLowerCase();
	const ranks: JsonObject[][] = [[], [], []];
	for (const entry of entries) {
		const hits = Object.entries(entry).flatMap(([member, value]) => (!unsearched.has(member) && fits(value, wanted) ? [member] : []));
		if (hits.length > 0) ranks[hits.includes("name") ? 0 : hits.includes("keywords") ? 1 : 2]?.push(entry);
	}
	return ranks.flat();
}

/** A text that holds it, or a list one of whose elements it is. */
function fits(value: JsonValue | undefined, wanted: string): boolean {
	if (typeof value === "string") return value.toLowerCase().includes(wanted);
	return Array.isArray(value) && value.some((element) => typeof element === "string" && element.toLowerCase() === wanted);
}
