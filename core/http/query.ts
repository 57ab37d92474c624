import { SvcError } from "../contract/index.ts";

/** Type of a query parameter. `list` is a comma-separated string. */
export type QueryType = "string" | "integer" | "boolean" | "list";

export type QuerySchema = Readonly<Record<string, QueryType>>;

interface QueryTypeValues {
	string: string;
	integer: number;
	boolean: boolean;
	list: readonly string[];
}

/** Values of the declared parameters. A value is undefined if the parameter is not given or, for strings and lists, empty. */
export type QueryValues<Q extends QuerySchema> = { readonly [K in keyof Q]: QueryTypeValues[Q[K]] | undefined };

/** Query parameters as strings. If a parameter is repeated, the last one counts. */
export type RawQuery = ReadonlyMap<string, string>;

const noQuery: RawQuery = new Map();
const trueWords = new Set(["true", "1", "yes", "y"]);
const falseWords = new Set(["false", "0", "no", "n"]);

/** Parses the search part of an address. */
export function parseQuery(search: string): RawQuery {
	return search.length > 1 ? new Map(new URLSearchParams(search)) : noQuery;
}

/** Converts the declared parameters to their types. Throws `SVC_INVALID` naming the first one with a wrong type. */
export function castQuery<Q extends QuerySchema>(schema: Q, raw: RawQuery): QueryValues<Q> {
	const values: Record<string, unknown> = {};
	if (raw.size > 0) {
		for (const name of Object.keys(schema)) {
			const text = raw.get(name);
			if (text !== undefined) values[name] = castValue(name, schema[name] as QueryType, text);
		}
	}
	return values as QueryValues<Q>;
}

function castValue(name: string, type: QueryType, text: string): unknown {
	if (type === "string") return text === "" ? undefined : text;
	if (type === "list") return toList(text);
	if (type === "boolean") return castBoolean(name, text);
	if (!/^-?\d{1,15}$/.test(text)) throw new SvcError("SVC_INVALID", `${name}: not of type integer`);
	return Number(text);
}

function castBoolean(name: string, text: string): boolean {
	const word = text.toLowerCase();
	if (trueWords.has(word)) return true;
	if (falseWords.has(word)) return false;
	throw new SvcError("SVC_INVALID", `${name}: not of type boolean, use true or false`);
}

function toList(text: string): readonly string[] | undefined {
	const items = text.split(",").map((item) => item.trim());
	const nonEmptyItems = items.filter((item) => item !== "");
	return nonEmptyItems.length > 0 ? nonEmptyItems : undefined;
}
