import { type DescribedRoute, toDocumentedPath, toOperation, toTag } from "./operation.ts";
import type { JsonSchema } from "./schema-builders.ts";
import { SchemaComponents } from "./schema-components.ts";

/** An OpenAPI 3.1 document. */
export interface ApiDocument {
	readonly openapi: string;
	readonly info: { readonly title: string; readonly version: string } & JsonSchema;
	readonly servers: readonly JsonSchema[];
	readonly tags: readonly { readonly name: string; readonly description: string }[];
	/** Operations by path, and by method in lower case. */
	readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
	readonly components: {
		readonly schemas: Readonly<Record<string, JsonSchema>>;
		readonly responses: Readonly<Record<string, JsonSchema>>;
		readonly securitySchemes: JsonSchema;
	};
}

const introduction = `JSON in and out, UTF-8. Every path is answered without its version too, and with the prefix that a proxy adds:
\`/executions\`, \`/v1/executions\`, \`/api/v1/executions\`; \`/actionexecutions\` is another name for \`/executions\`.

A query that is not listed is ignored, and so is a member of a body, unless the body is closed. Every answer carries \`X-Request-ID\`. Besides
what is listed, any request may be answered with 408 or 431 when it arrives too slowly or its headers are too long, and with 400 when its
header \`Host\` is wrong. A path with a method that is not listed is answered with 405 and \`Allow\`.`;

const securitySchemes = {
	token: {
		type: "apiKey",
		in: "header",
		name: "X-Auth-Token",
		description: "A token of `POST /auth/v1/tokens`; or `x-auth-token` in the query.",
	},
	apiKey: { type: "apiKey", in: "header", name: "Svc-Api-Key", description: "An API key; or `svc-api-key` in the query." },
	cookie: {
		type: "apiKey",
		in: "cookie",
		name: "auth-token",
		description:
			"What a browser was given with its first request with a token. It is enough for pages of the service and of allowed origins.",
	},
	bearer: { type: "http", scheme: "bearer", description: "A token or an API key, if the request has no other credential." },
	password: {
		type: "http",
		scheme: "basic",
		description: "Name and password for `POST /auth/v1/tokens`; elsewhere any name, and a token or an API key as the password.",
	},
};

/** Returns the OpenAPI document of the given routes. */
export function toDocument(routes: readonly DescribedRoute[], version: string): ApiDocument {
	const components = new SchemaComponents();
	const paths: Record<string, Record<string, JsonSchema>> = {};
	for (const route of routes) {
		const path = toDocumentedPath(route);
		paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route, components) };
	}
	const tags = [...new Set(routes.map(toTag))].sort();
	return {
		openapi: "3.1.0",
		info: {
			title: "svc",
			version,
			summary: "Event-driven automation.",
			description: introduction,
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [{ url: "/", description: "The listener of the API, which answers everything." }],
		tags: tags.map((name) => ({ name, description: name === "service" ? "The service itself." : `Requests of \`/${name}\`.` })),
		paths,
		components: { schemas: components.toSchemas(), responses: components.toResponses(), securitySchemes },
	};
}
