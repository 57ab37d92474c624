import { defineSchema, integerSchema, type JsonSchema, nullable, objectSchema, stringSchema } from "./schema-builders.ts";

/** Response of a route with one status. */
export interface ResponseDeclaration {
	/** Name of an answer that many routes share. The document contains it once, under this name. */
	readonly name?: string;
	readonly description: string;
	/** Bodies by media type; empty for an answer without a body. */
	readonly content: Readonly<Record<string, AnswerContent>>;
	readonly headers?: Readonly<Record<string, AnswerHeader>>;
}

/** A body of an answer. */
export interface AnswerContent {
	readonly schema: JsonSchema;
	/** Default: taken from the examples in the schema. */
	readonly example?: unknown;
	/** Schema of the body if the client selects members (`include_attributes`, `exclude_attributes`). */
	readonly selected?: JsonSchema;
}

/** A header of an answer. */
export interface AnswerHeader {
	readonly description: string;
	readonly schema: JsonSchema;
	/** True if some answers do not have the header. Default false. */
	readonly isOptional?: boolean;
}

/**
 * Answers of a route by status. Default answers are added: 401 and 403 for a permission, 404 for a variable in the path, and so on. The
 * value `undefined` removes a default answer that the route never returns.
 */
export type Answers = Readonly<Record<number, ResponseDeclaration | undefined>>;

interface AnswerOptions {
	readonly description?: string;
	readonly headers?: ResponseDeclaration["headers"];
	readonly example?: unknown;
}

/** Declares a JSON answer with this schema. */
export function answerJson(schema: JsonSchema, { description = "Done.", headers, example }: AnswerOptions = {}): ResponseDeclaration {
	const content = { "application/json": { schema, ...(example !== undefined && { example }) } };
	return { description, content, ...(headers !== undefined && { headers }) };
}

const countHeaders: Readonly<Record<string, AnswerHeader>> = {
	"X-Total-Count": {
		description: "Number of matching records on all pages; at most `api.exact_total_limit`.",
		schema: { ...integerSchema, minimum: 0 },
	},
	"X-Total-Count-Exact": {
		description: "Present if more records match than `X-Total-Count`, or did within the last five seconds.",
		schema: { type: "string", enum: ["false"] },
		isOptional: true,
	},
	"X-Limit": { description: "The applied limit; absent without a limit.", schema: integerSchema, isOptional: true },
};

/** Declares a page of a list of records, with headers for the total number. */
export function answerPage(record: JsonSchema): ResponseDeclaration {
	return answerJson({ type: "array", items: record }, { description: "A page of the list.", headers: countHeaders });
}

/** Declares a page of a list of records whose members the client may select. `part` is the schema of a record with selected members. */
export function answerSelectedPage(record: JsonSchema, part: JsonSchema): ResponseDeclaration {
	const schema = { type: "array", items: record };
	const content = { "application/json": { schema, selected: { type: "array", items: part } } };
	return { description: "A page of the list.", content, headers: countHeaders };
}

/** Declares a record whose members the client may select. `part` is the schema of the record with selected members. */
export function answerSelected(record: JsonSchema, part: JsonSchema): ResponseDeclaration {
	return { description: "The record.", content: { "application/json": { schema: record, selected: part } } };
}

/** Declares a complete list of records. */
export function describeList(record: JsonSchema, options: AnswerOptions = {}): ResponseDeclaration {
	return answerJson({ type: "array", items: record }, { description: "The list.", ...options });
}

/** Declares an answer without a body. */
export function answerNothing(description = "Done."): ResponseDeclaration {
	return { description, content: {} };
}

/** Declares a text response with one of these media types. */
export function answerText(types: readonly string[], description: string, example = "text"): ResponseDeclaration {
	return { description, content: Object.fromEntries(types.map((type) => [type, { schema: stringSchema, example }])) };
}

/** Declares server-sent events, each with data of this schema. */
export function answerEvents(description: string, data: JsonSchema, example: string): ResponseDeclaration {
	const schema = { ...stringSchema, contentMediaType: "text/event-stream", contentSchema: data };
	return { description, content: { "text/event-stream": { schema, example } } };
}

/** Schema of an error body. */
export const faultSchema = defineSchema(
	"Fault",
	{
		description: "Why a request was refused.",
		...objectSchema({ faultstring: { ...stringSchema, description: "Description of the problem for human readers." } }),
	},
	{ faultstring: "limit: not of type integer" },
);
const conflictSchema = defineSchema(
	"Conflict",
	{
		description: "Why a record could not be stored.",
		...objectSchema({
			faultstring: stringSchema,
			"conflict-id": { ...nullable(stringSchema), description: "Id of the existing record." },
		}),
	},
	{ faultstring: "Tried to save duplicate unique keys", "conflict-id": "66a1f0c29d3e4b7a51c08d12" },
);

/** Headers of answers to requests that the client should repeat later. */
export const retryHeader: ResponseDeclaration["headers"] & object = {
	"Retry-After": { description: "Seconds after which the client should retry.", schema: { ...integerSchema, minimum: 1 } },
};

/**
 * Declares an error answer. The description says what the error means.
 *
 * @param options `retries`: true if the client should repeat the request later; `name`: see `Answer.name`
 */
export function answerFault(
	description: string,
	options: { readonly retries?: boolean; readonly name?: string } = {},
): ResponseDeclaration {
	const { retries = false, name } = options;
	return { ...(name !== undefined && { name }), ...answerJson(faultSchema, { description, ...(retries && { headers: retryHeader }) }) };
}

/** Declares 409 for a record with the same key, or a concurrent change. */
export const answerConflict: ResponseDeclaration = {
	name: "Conflict",
	...answerJson(conflictSchema, { description: "A record with the same name or key exists, or the record was changed concurrently." }),
};

/** Declares 409 for another reason than a record with the same key. */
export function answerConflictBecause(description: string): ResponseDeclaration {
	return answerJson(conflictSchema, { description });
}

/** Declares 429, for a client that exceeds a limit. */
export const answerTooMany: ResponseDeclaration = answerFault("Too many concurrent or too frequent requests.", {
	name: "TooMany",
	retries: true,
});
