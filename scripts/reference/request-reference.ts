import type { Route } from "../../core/http/route.ts";
import { routes } from "../../plugins/_shipped/routes.ts";

/** A request as the code declares it. */
export type DeclaredRequest = Pick<Route, "method" | "component" | "path" | "permission" | "query" | "body">;

/** `docs/reference/http-requests.md`, made from the routes so that the two cannot differ. */
export function toRequestReference(declared: readonly DeclaredRequest[] = routes): string {
	const rows = declared.map((route) => [`\`${toRequest(route)}\``, route.permission, toQuery(route), toBody(route)]);
	return `${introduction}${rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("")}`;
}

const introduction = `# Requests

<!-- Made by \`npm run docs:update\` from the routes. Do not edit. -->

Every request with the permission, query and body that the service declares. [HTTP API](http-api.md) says what they do and how they are
answered. Members of a body with an asterisk must be given. A query and a member that are not listed are ignored, unless the body is closed.
[Errors](errors.md) says how requests are refused.

| Request | Permission | Query | Body |
|---|---|---|---|
`;

/** Method and path as the documentation writes them. */
export function toRequest({ method, component, path }: Pick<DeclaredRequest, "method" | "component" | "path">): string {
	if (path === "/") return `${method} ${path}`;
	return `${method} ${component === "api" ? "" : `/${component}`}/v1${path.replace(/(?:\*\*)?:(\w+)/g, "<$1>")}`;
}

function toQuery({ query = {} }: DeclaredRequest): string {
	return Object.entries(query)
		.map(([name, type]) => `\`${name}\` (${type})`)
		.join(", ");
}

function toBody({ body }: DeclaredRequest): string {
	if (body === undefined) return "";
	if (body === "raw") return "anything";
	if (body === "text") return "a text";
	const {
		properties = {},
		required = [],
		additionalProperties,
	} = body.schema as {
		readonly properties?: Readonly<Record<string, unknown>>;
		readonly required?: readonly string[];
		readonly additionalProperties?: boolean;
	};
	const members = Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? "*" : ""}`);
	return `${members.join(", ")}${additionalProperties === false ? " (closed)" : ""}`;
}
