import type { Route } from "../route.ts";
import { allAnswers } from "./default-responses.ts";
import { toParameters } from "./parameters.ts";
import type { AnswerContent, AnswerHeader, ResponseDeclaration } from "./responses.ts";
import { definitionOf, type JsonSchema, jsonValue, stringSchema } from "./schema-builders.ts";
import type { SchemaComponents } from "./schema-components.ts";

/** The parts of a route that the API description uses. */
export type DescribedRoute = Pick<
	Route,
	"method" | "component" | "path" | "permission" | "summary" | "description" | "answers" | "query" | "body" | "isAlwaysOpen" | "isSignIn"
>;

const formType = "application/x-www-form-urlencoded";
const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

/** Returns the documented path of a route. The other paths at which it is answered are aliases and not documented. */
export function toDocumentedPath({ component, path }: Pick<DescribedRoute, "component" | "path">): string {
	return path === "/" ? path : prefixes[component] + path.replace(/(?:\*\*)?:(\w+)/g, "{$1}");
}

/** Returns the tag of a route: the first segment of its path. */
export function toTag({ path }: Pick<DescribedRoute, "path">): string {
	return path.split("/")[1] || "service";
}

export function toOperation(route: DescribedRoute, components: SchemaComponents): JsonSchema {
	const { path, permission, summary, description, query = {}, body } = route;
	const parameters = toParameters(path, query);
	const answers = [...allAnswers(route)].map(([status, answer]) => [String(status), toResponse(answer, components)]);
	return {
		operationId: toOperationId(route),
		tags: [toTag(route)],
		summary,
		...(description !== undefined && { description }),
		security: toSecurity(route),
		"x-permission": permission,
		...(parameters.length > 0 && { parameters }),
		...(body !== undefined && { requestBody: toRequestBody(body, components) }),
		responses: Object.fromEntries(answers),
	};
}

function toSecurity({ permission, isSignIn = false }: DescribedRoute): readonly JsonSchema[] {
	if (permission !== "public") return [{ token: [] }, { apiKey: [] }, { bearer: [] }, { cookie: [] }];
	return isSignIn ? [{ password: [] }] : [];
}

function toOperationId({ method, component, path }: DescribedRoute): string {
	const words = path.split("/").flatMap((part) => {
		const variable = /:(\w+)/.exec(part)?.[1];
		return variable === undefined ? part.split(/[^A-Za-z0-9]/) : ["by", ...variable.split("_")];
	});
	const prefix = component === "api" ? [] : [component];
	const [firstWord = "", ...otherWords] = [method.toLowerCase(), ...prefix, ...words, ...(path === "/" ? ["service"] : [])].filter(Boolean);
	return firstWord + otherWords.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join("");
}

function toRequestBody(body: NonNullable<DescribedRoute["body"]>, components: SchemaComponents): JsonSchema {
	if (body === "raw") {
		const schema = components.publish(jsonValue);
		return { content: { "application/json": { schema }, [formType]: { schema: { type: "object" } } } };
	}
	if (body === "text") return { required: true, content: { "text/plain": { schema: stringSchema } } };
	const { required = [] } = body.schema as { readonly required?: readonly string[] };
	const schema = components.publish(body.schema);
	const form = body.isForm ? { [formType]: { schema } } : {};
	return { required: required.length > 0, content: { ...form, "application/json": { schema } } };
}

function toResponse(answer: ResponseDeclaration, components: SchemaComponents): JsonSchema {
	return answer.name === undefined
		? toOwnResponse(answer, components)
		: components.publishResponse(answer.name, () => toOwnResponse(answer, components));
}

function toOwnResponse({ description, content, headers }: ResponseDeclaration, components: SchemaComponents): JsonSchema {
	const media = Object.entries(content).map(([type, body]) => [type, toMedia(body, components)]);
	return {
		description,
		...(headers !== undefined && { headers: toHeaders(headers) }),
		...(media.length > 0 && { content: Object.fromEntries(media) }),
	};
}

function toMedia({ schema, selected, example = toExample(schema) }: AnswerContent, components: SchemaComponents): JsonSchema {
	const published = components.publish(schema);
	return {
		schema: selected === undefined ? published : { anyOf: [published, components.publish(selected)] },
		...(example !== undefined && { example }),
	};
}

function toHeaders(headers: Readonly<Record<string, AnswerHeader>>): JsonSchema {
	return Object.fromEntries(
		Object.entries(headers).map(([name, { isOptional = false, ...header }]) => [name, { ...header, required: !isOptional }]),
	);
}

/** Returns an example value for a schema, taken from the examples in it. Returns undefined if there is none. */
export function toExample(schema: JsonSchema): unknown {
	const { type, examples, items, anyOf } = definitionOf(schema)?.schema ?? schema;
	if (Array.isArray(examples)) return examples[0];
	if (Array.isArray(anyOf)) return toExample(anyOf[0] as JsonSchema);
	if (type !== "array") return undefined;
	const item = toExample(items as JsonSchema);
	return item === undefined ? undefined : [item];
}
