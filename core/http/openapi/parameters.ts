import type { QuerySchema, QueryType } from "../query.ts";
import { arrayOf, booleanSchema, integerSchema, type JsonSchema, stringSchema } from "./schema-builders.ts";

/** Description of a parameter, and keywords added to the schema of its type. */
interface ParameterNote {
	readonly description: string;
	readonly schema?: JsonSchema;
}

/** Pattern of the query parameter `id`. */
const idsPattern = "^[0-9a-f]{24}(?:\\s*,\\s*[0-9a-f]{24}){0,99}$";
/** Pattern of times that `parseTimestamp` accepts. */
const timePattern =
	"^(?:\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:[Zz]|[+ -]\\d{2}(?::?\\d{2})?)?)?|now|today|yesterday|[+ -](?:\\d{1,9}[smhdw])+)$";
const afterNote: ParameterNote = {
	description: "Only what is later than this time: in UTC, with an offset, or relative (`-1h`).",
	schema: { pattern: timePattern },
};
const beforeNote: ParameterNote = {
	description: "Only what is earlier than this time: in UTC, with an offset, or relative (`-1h`).",
	schema: { pattern: timePattern },
};

/** Descriptions and schema keywords by query parameter. A parameter has the same meaning in all routes. */
const queryNotes: Readonly<Record<string, ParameterNote>> = {
	limit: { description: "How many at most; -1 for all.", schema: { minimum: -1 } },
	offset: { description: "How many to leave out.", schema: { minimum: 0, maximum: 2 ** 31 - 1 } },
	sort: { description: "Names separated by commas, `-` in front for descending." },
	sort_asc: { description: "`True` orders by time, the oldest first." },
	sort_desc: { description: "`True` orders by time, the newest first." },
	include_attributes: { description: "Members to show; `action.ref` reaches into objects." },
	exclude_attributes: { description: "Members to leave out." },
	show_secrets: { description: "Show secrets, to administrators." },
	id: { description: "Ids, up to 100, separated by commas.", schema: { pattern: idsPattern } },
	timestamp: { description: "`<from>..<to>`, times as for `timestamp_gt`." },
	timestamp_gt: afterNote,
	timestamp_lt: beforeNote,
	enforced_at_gt: afterNote,
	enforced_at_lt: beforeNote,
	filter: { description: "`path:value` separated by blanks; all must hold." },
	output_type: { description: "`stdout`, `stderr`, `other` or `all`." },
	last_event_id: { description: "Go on behind the event with this id.", schema: { pattern: "^\\d{1,15}$" } },
	max_result_size: { description: "Leave out a result of more bytes.", schema: { minimum: 0, maximum: 14 * 1024 * 1024 } },
	no_merge: { description: "Only the given parameters count, not those of the first run." },
	depth: { description: "How many generations; -1 for all." },
	result_fmt: { description: "`sorted` orders by start." },
	decrypt: { description: "Show values of secret items in clear." },
	scope: { description: "`system`, `user` or `all`, with or without `svckv.` in front." },
	overrule: { description: "Take a delivery that was refused, as an administrator." },
	download: { description: "As a file to be saved." },
	compress: { description: "With gzip." },
	pretty_format: { description: "Indented." },
	end_event: { description: "Ends behind an event of this name about the execution `end_execution_id`." },
	end_execution_id: { description: "With `end_event`: the execution whose end ends the stream." },
};

/** Descriptions and schema keywords by path parameter. */
const pathNotes: Readonly<Record<string, ParameterNote>> = {
	id: { description: "Its id." },
	ref: { description: "Its ref, `<pack>.<name>`, or its id." },
	url: { description: "Its url; slashes are part of it." },
};

const querySchemas: Readonly<Record<QueryType, JsonSchema>> = {
	string: stringSchema,
	integer: integerSchema,
	boolean: booleanSchema,
	list: arrayOf(stringSchema),
};

/** Returns the OpenAPI parameters of a route: those in its path and those in its query. */
export function toParameters(path: string, query: QuerySchema): readonly JsonSchema[] {
	return [
		...[...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => toPathParameter(name)),
		...Object.entries(query).map(([name, type]) => toQueryParameter(name, type)),
	];
}

function toPathParameter(name: string): JsonSchema {
	const { description, schema } = pathNotes[name] ?? { description: `The ${name}.` };
	return { name, in: "path", required: true, description, schema: { ...stringSchema, minLength: 1, ...schema } };
}

function toQueryParameter(name: string, type: QueryType): JsonSchema {
	const { description, schema }: Partial<ParameterNote> = queryNotes[name] ?? {};
	return {
		name,
		in: "query",
		...(description !== undefined && { description }),
		...(type === "list" && { style: "form", explode: false }),
		schema: { ...querySchemas[type], ...schema },
	};
}
