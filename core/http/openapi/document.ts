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

const introduction = `Requests and responses are JSON in UTF-8. The version in a path may be omitted, and the prefix that a proxy adds is accepted:
\`/executions\`, \`/v1/executions\`, \`/api/v1/executions\`; \`/actionexecutions\` is another name for \`/executions\`.

Unknown query parameters are ignored, and so are unknown members of a body, unless the body is closed. Every response has the header \`X-Request-ID\`.
In addition to the listed responses, any request may get 408 if it arrives too slowly, 431 if its headers are too long, and 400 if its
header \`Host\` is invalid. A method that a path does not support gets 405 with the header \`Allow\`.`;

const securitySchemes = {
	token: {
		type: "apiKey",
		in: "header",
		name: "X-Auth-Token",
		description: "A token from `POST /auth/v1/tokens`. Alternative: the query parameter `x-auth-token`.",
	},
	apiKey: { type: "apiKey", in: "header", name: "Svc-Api-Key", description: "An API key. Alternative: the query parameter `svc-api-key`." },
	cookie: {
		type: "apiKey",
		in: "cookie",
		name: "auth-token",
		description:
			"Set by the service when a browser sends a token for the first time. Sufficient for pages of the service and of allowed origins.",
	},
	bearer: { type: "http", scheme: "bearer", description: "A token or an API key, if the request has no other credential." },
	password: {
		type: "http",
		scheme: "basic",
		description: "User name and password for `POST /auth/v1/tokens`. Elsewhere: any name, with a token or an API key as the password.",
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
		servers: [{ url: "/", description: "The listener of the API, which serves all paths." }],
		tags: tags.map((name) => ({ name, description: name === "service" ? "The service itself." : `Requests of \`/${name}\`.` })),
		paths,
		components: { schemas: components.toSchemas(), responses: components.toResponses(), securitySchemes },
	};
}
