import { escapeControlCharacters } from "../contract/control-characters.ts";
import type { RawQuery } from "./query.ts";
import type { Route } from "./route.ts";

/** Response header with warnings: about input that the service ignores, and about doubtful input. */
export const warningHeader = "svc-warning";

/** Maximum number of warnings in one response, and of characters in each. */
const warningLimits = { count: 10, length: 300 };
/** Query parameters with credentials. Every route accepts them. */
const credentialParameters: ReadonlySet<string> = new Set(["x-auth-token", "svc-api-key"]);

/**
 * Returns a warning for each query parameter and each member of the body that the route does not read. Returns none for a route with a raw
 * body or with `readsAnyQuery`, which may read anything.
 */
export function findIgnored(
	{ query = {}, body: schema, readsAnyQuery = false }: Pick<Route, "query" | "body" | "readsAnyQuery">,
	rawQuery: RawQuery,
	body: unknown,
): readonly string[] {
	if (schema === "raw" || readsAnyQuery) return [];
	const ignored: string[] = [];
	for (const name of rawQuery.keys())
		if (!Object.hasOwn(query, name) && !credentialParameters.has(name)) ignored.push(`query parameter ${quote(name)} is ignored`);
	if (typeof schema === "object") addIgnoredMembers(schema.schema, body, "", ignored);
	return ignored;
}

/**
 * Adds a warning for each member of `value`, at any depth, that the schema does not have. Skips objects whose schema has a rule for
 * additional members.
 */
function addIgnoredMembers(schema: Readonly<Record<string, unknown>>, value: unknown, path: string, ignored: string[]): void {
	const { properties, additionalProperties, patternProperties } = schema as Readonly<Record<string, Readonly<Record<string, object>>>>;
	if (properties === undefined || additionalProperties !== undefined || patternProperties !== undefined) return;
	if (typeof value !== "object" || value === null || Array.isArray(value)) return;
	for (const [name, member] of Object.entries(value)) {
		const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
		if (memberSchema === undefined) ignored.push(`member ${quote(path + name)} is ignored`);
		else addIgnoredMembers(memberSchema as Readonly<Record<string, unknown>>, member, `${path}${name}.`, ignored);
	}
}

/**
 * Returns the header with the warnings, or no header if there are none. Its value is ASCII, because proxies and clients decode
 * other characters differently.
 */
export function toWarningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
	if (warnings.length === 0) return {};
	const { count, length } = warningLimits;
	const texts = warnings.slice(0, count).map((text) => (text.length > length ? `${text.slice(0, length)}...` : text));
	const rest = warnings.length > count ? [`and ${warnings.length - count} more`] : [];
	return { [warningHeader]: toAscii([...texts, ...rest].join("; ")) };
}

function quote(name: string): string {
	return `"${name.slice(0, 100)}"`;
}

function toAscii(text: string): string {
	return escapeControlCharacters(text).replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
