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
	description: "Only records after this time: in UTC, with an offset, or relative (`-1h`).",
	schema: { pattern: timePattern },
};
const beforeNote: ParameterNote = {
	description: "Only records before this time: in UTC, with an offset, or relative (`-1h`).",
	schema: { pattern: timePattern },
};

/** Descriptions and schema keywords by query parameter. A parameter has the same meaning in all routes. */
const queryNotes: Readonly<Record<string, ParameterNote>> = {
	limit: { description: "Maximum number of records; -1: all.", schema: { minimum: -1 } },
	offset: { description: "Number of records to skip.", schema: { minimum: 0, maximum: 2 ** 31 - 1 } },
	sort: { description: "Fields to sort by, separated by commas; a leading `-` sorts in descending order." },
	sort_asc: { description: "`True` sorts by time, oldest first." },
	sort_desc: { description: "`True` sorts by time, newest first." },
	include_attributes: { description: "Attributes to include, separated by commas. `action.ref` selects a nested attribute." },
	exclude_attributes: { description: "Attributes to exclude, separated by commas." },
	show_secrets: { description: "True if secrets are not masked. Administrators only." },
	id: { description: "Up to 100 ids, separated by commas.", schema: { pattern: idsPattern } },
	timestamp: { description: "Range `<from>..<to>`; times as in `timestamp_gt`." },
	timestamp_gt: afterNote,
	timestamp_lt: beforeNote,
	enforced_at_gt: afterNote,
	enforced_at_lt: beforeNote,
	filter: { description: "Conditions `path:value`, separated by spaces; all must match." },
	output_type: { description: "Output type: `stdout`, `stderr`, `other` or `all`." },
	last_event_id: { description: "Continue after the event with this id.", schema: { pattern: "^\\d{1,15}$" } },
	max_result_size: { description: "Omit results of more than this number of bytes.", schema: { minimum: 0, maximum: 14 * 1024 * 1024 } },
	no_merge: { description: "True if the parameters of the first run are not reused." },
	depth: { description: "Number of generations; -1: all." },
	result_fmt: { description: "`sorted`: ordered by start." },
	decrypt: { description: "True if values of secret items are decrypted." },
	scope: { description: "Scope: `system`, `user` or `all`; a prefix `svckv.` is accepted." },
	overrule: { description: "True if a refused delivery is dispatched anyway. Administrators only." },
	download: { description: "True if the response is a file to save." },
	compress: { description: "True if the file is compressed with gzip." },
	pretty_format: { description: "True if the JSON is indented." },
	end_event: { description: "The stream ends after an event with this name about the execution `end_execution_id`." },
	end_execution_id: { description: "With `end_event`: the execution whose event ends the stream." },
};

/** Descriptions and schema keywords by path parameter. */
const pathNotes: Readonly<Record<string, ParameterNote>> = {
	id: { description: "Id of the record." },
	ref: { description: "Ref (`<pack>.<name>`) or id of the record." },
	url: { description: "URL of the webhook, which may contain slashes." },
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
