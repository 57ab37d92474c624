import { toSeenLine } from "../contract/unseen-text.ts";
import type { BodySchema } from "./body.ts";
import type { QuerySchema, RawQuery } from "./query.ts";

/** Header with what a request says and the service ignores, or what is doubtful about it. */
export const warningHeader = "svc-warning";

/** Most warnings of one answer, and most characters of each. */
const limits = { count: 10, length: 300 };
/** Query parameters that carry credentials. */
const credentials: ReadonlySet<string> = new Set(["x-auth-token", "svc-api-key"]);

interface RouteShape {
	readonly query?: QuerySchema;
	readonly body?: BodySchema<unknown> | "raw" | "text";
	readonly readsAnyQuery?: boolean;
}

/** Returns a text for each query parameter and each member of the body that the route does not read. A raw route may read anything. */
export function findIgnored(
	{ query = {}, body: schema, readsAnyQuery = false }: RouteShape,
	raw: RawQuery,
	body: unknown,
): readonly string[] {
	if (schema === "raw" || readsAnyQuery) return [];
	const ignored: string[] = [];
	for (const name of raw.keys())
		if (!Object.hasOwn(query, name) && !credentials.has(name)) ignored.push(`query parameter ${quote(name)} is ignored`);
	if (typeof schema === "object") addIgnoredMembers(schema.schema, body, "", ignored);
	return ignored;
}

function addIgnoredMembers(schema: Readonly<Record<string, unknown>>, value: unknown, path: string, ignored: string[]): void {
	const { properties, additionalProperties, patternProperties } = schema as Readonly<Record<string, Readonly<Record<string, object>>>>;
	if (properties === undefined || additionalProperties !== undefined || patternProperties !== undefined) return;
	if (typeof value !== "object" || value === null || Array.isArray(value)) return;
	for (const [name, member] of Object.entries(value)) {
		const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
		if (known === undefined) ignored.push(`member ${quote(path + name)} is ignored`);
		else addIgnoredMembers(known as Readonly<Record<string, unknown>>, member, `${path}${name}.`, ignored);
	}
}

/** The header for texts; none for no text. It is ASCII, as proxies and clients read other characters differently. */
export function toWarningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
	if (warnings.length === 0) return {};
	const shown = warnings.slice(0, limits.count).map((text) => (text.length > limits.length ? `${text.slice(0, limits.length)}...` : text));
	const more = warnings.length > limits.count ? [`and ${warnings.length - limits.count} more`] : [];
	return { [warningHeader]: toAscii([...shown, ...more].join("; ")) };
}

function quote(name: string): string {
	return `"${name.slice(0, 100)}"`;
}

function toAscii(text: string): string {
	return toSeenLine(text).replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
