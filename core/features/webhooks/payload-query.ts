import type { JsonObject } from "../../contract/index.ts";

/** Parameters that carry credentials of the service. */
const dropped: ReadonlySet<string> = new Set(["x-auth-token", "svc-api-key"]);
const noQuery: JsonObject = Object.freeze({});

/** Returns the query of an address for the payload of a trigger: a text for each name, a list for one given more than once, no credentials. */
export function toPayloadQuery(url: string): JsonObject {
	const start = url.indexOf("?");
	if (start === -1) return noQuery;
	const values = new Map<string, string[]>();
	for (const [name, value] of new URLSearchParams(url.slice(start).replace(/#.*$/, ""))) {
		if (dropped.has(name.toLowerCase())) continue;
		const known = values.get(name);
		if (known === undefined) values.set(name, [value]);
		else known.push(value);
	}
	return Object.fromEntries([...values].map(([name, given]) => [name, given.length === 1 ? (given[0] ?? "") : given]));
}
