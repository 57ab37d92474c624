import { defineSchema, type JsonSchema, nullable, object, text, whole } from "./schema.ts";

/** What a route answers with one status. */
export interface Answer {
	/** Of an answer that many routes have: it is written once, under this name. */
	readonly name?: string;
	readonly description: string;
	/** By media type; empty: no body. */
	readonly content: Readonly<Record<string, AnswerContent>>;
	readonly headers?: Readonly<Record<string, AnswerHeader>>;
}

/** A body of an answer. */
export interface AnswerContent {
	readonly schema: JsonSchema;
	/** Default: made of the examples of the schema. */
	readonly example?: unknown;
	/** What is answered in place of it to whoever chooses members (`include_attributes`, `exclude_attributes`). */
	readonly selected?: JsonSchema;
}

/** A header of an answer. */
export interface AnswerHeader {
	readonly description: string;
	readonly schema: JsonSchema;
	/** Whether every such answer has it. Default true. */
	readonly isOptional?: boolean;
}

/**
 * Answers by status. What a route has says more: with a permission 401 and 403, with a variable in its path 404, and so on; `undefined` says
 * that this route never answers so, although what it has says it could.
 */
export type Answers = Readonly<Record<number, Answer | undefined>>;

interface AnswerOptions {
	readonly description?: string;
	readonly headers?: Answer["headers"];
	readonly example?: unknown;
}

/** JSON of this schema. */
export function answerJson(schema: JsonSchema, { description = "Done.", headers, example }: AnswerOptions = {}): Answer {
	const content = { "application/json": { schema, ...(example !== undefined && { example }) } };
	return { description, content, ...(headers !== undefined && { headers }) };
}

const countHeaders: Readonly<Record<string, AnswerHeader>> = {
	"X-Total-Count": {
		description: "How many records match, whatever part of them is asked for; at most `api.exact_total_limit`.",
		schema: { ...whole, minimum: 0 },
	},
	"X-Total-Count-Exact": {
		description: "Only where more match than `X-Total-Count` says, or did within the last five seconds.",
		schema: { type: "string", enum: ["false"] },
		isOptional: true,
	},
	"X-Limit": { description: "The limit in force; missing where there is none.", schema: whole, isOptional: true },
};

/** A page of a list of such records, with headers that tell how much there is. */
export function answerPage(record: JsonSchema): Answer {
	return answerJson({ type: "array", items: record }, { description: "A part of the list.", headers: countHeaders });
}

/** A page of a list, whose members may be chosen. */
export function answerSelectedPage(record: JsonSchema, part: JsonSchema): Answer {
	const schema = { type: "array", items: record };
	const content = { "application/json": { schema, selected: { type: "array", items: part } } };
	return { description: "A part of the list.", content, headers: countHeaders };
}

/** A record, whose members may be chosen. */
export function answerSelected(record: JsonSchema, part: JsonSchema): Answer {
	return { description: "The record.", content: { "application/json": { schema: record, selected: part } } };
}

/** All of a list. */
export function answerList(record: JsonSchema, options: AnswerOptions = {}): Answer {
	return answerJson({ type: "array", items: record }, { description: "The list.", ...options });
}

/** No body. */
export function answerNothing(description = "Done."): Answer {
	return { description, content: {} };
}

/** Text of one of these media types. */
export function answerText(types: readonly string[], description: string, example = "text"): Answer {
	return { description, content: Object.fromEntries(types.map((type) => [type, { schema: text, example }])) };
}

/** Server-sent events, each with data of this schema. */
export function answerEvents(description: string, data: JsonSchema, example: string): Answer {
	const schema = { ...text, contentMediaType: "text/event-stream", contentSchema: data };
	return { description, content: { "text/event-stream": { schema, example } } };
}

/** Why a request was refused. */
export const faultSchema = defineSchema(
	"Fault",
	{ description: "Why a request was refused.", ...object({ faultstring: { ...text, description: "What is wrong, for people." } }) },
	{ faultstring: "limit: not of type integer" },
);
const conflict = defineSchema(
	"Conflict",
	{
		description: "What a record could not be stored for.",
		...object({ faultstring: text, "conflict-id": { ...nullable(text), description: "Id of the record that is there already." } }),
	},
	{ faultstring: "Tried to save duplicate unique keys", "conflict-id": "66a1f0c29d3e4b7a51c08d12" },
);

/** Of answers that are worth asking again for. */
export const retryHeader: Answer["headers"] & object = {
	"Retry-After": { description: "Seconds after which it is worth asking again.", schema: { ...whole, minimum: 1 } },
};

/** An error, with what it means. */
export function answerFault(description: string, options: { readonly retries?: boolean; readonly name?: string } = {}): Answer {
	const { retries = false, name } = options;
	return { ...(name !== undefined && { name }), ...answerJson(faultSchema, { description, ...(retries && { headers: retryHeader }) }) };
}

/** 409. */
export const answerConflict: Answer = {
	name: "Conflict",
	...answerJson(conflict, { description: "A record with the same name or key is there already, or was changed at the same time." }),
};

/** 409 for another reason than a record with the same key. */
export function answerConflictBecause(description: string): Answer {
	return answerJson(conflict, { description });
}

/** 429. */
export const answerTooMany: Answer = answerFault("Too many at once, or too often.", { name: "TooMany", retries: true });
