import { toHtmlPageHeaders } from "../html-page-headers.ts";
import type { ApiDocument } from "./document.ts";
import type { JsonSchema } from "./schema-builders.ts";

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:14px/1.4 ui-monospace,monospace;background:#f2f4f7;border-radius:4px}code{padding:0 .25em}pre{padding:.75em;overflow-x:auto}
details{border-top:1px solid #d5dae1;padding:.4rem 0}summary{cursor:pointer}table{border-collapse:collapse;margin:.5rem 0}
td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0}th{font-weight:600}
@media(prefers-color-scheme:dark){body{color:#e4e7eb;background:#15181c}code,pre{background:#22272e}details{border-color:#343b44}}`;

/** Response headers of the HTML page. */
export const pageHeaders = toHtmlPageHeaders(style);

/** The parts of an OpenAPI operation that the page shows. */
interface Operation {
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description?: string;
	readonly "x-permission": string;
	readonly parameters?: readonly {
		readonly name: string;
		readonly in: string;
		readonly description?: string;
		readonly schema: JsonSchema;
	}[];
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
	readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

/** The parts of an OpenAPI response that the page shows. */
interface Response {
	readonly description: string;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Returns the API description as an HTML page without scripts. */
export function toPage({ info, tags, paths, components }: ApiDocument): string {
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as unknown as Operation })),
	);
	const responses = components.responses as unknown as Readonly<Record<string, Response>>;
	const sections = tags.map(({ name }) => {
		const tagOperations = operations.filter(({ operation }) => operation.tags.includes(name));
		return `<h2 id="${toHtml(name)}">${toHtml(name)}</h2>${tagOperations.map((entry) => toDetails(entry, responses)).join("")}`;
	});
	const schemas = Object.entries(components.schemas).map(
		([name, schema]) => `<details id="${toHtml(name)}"><summary><code>${toHtml(name)}</code></summary>${toCode(schema)}</details>`,
	);
	const contents = [...tags.map(({ name }) => name), "schemas"].map((name) => `<a href="#${toHtml(name)}">${toHtml(name)}</a>`);
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${toHtml(info.title)} ${toHtml(info.version)}: HTTP API</title><style>${style}</style></head><body>
<h1>${toHtml(info.title)} ${toHtml(info.version)}: HTTP API</h1>
<p>For programs: <a href="openapi.json"><code>openapi.json</code></a></p>${toParagraphs(String(info["description"]))}
<p>${contents.join(" · ")}</p>
${sections.join("\n")}
<h2 id="schemas">schemas</h2>${schemas.join("")}
</body></html>
`;
}

/** An operation with its path and method. */
interface OperationEntry {
	readonly path: string;
	readonly method: string;
	readonly operation: Operation;
}

function toDetails({ path, method, operation }: OperationEntry, sharedResponses: Readonly<Record<string, Response>>): string {
	const { summary, description = "", parameters = [], requestBody } = operation;
	const responses = Object.entries(operation.responses).map(([status, response]): [string, Response] => [
		status,
		"$ref" in response ? (sharedResponses[response.$ref.split("/").at(-1) ?? ""] ?? { description: "" }) : response,
	]);
	const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => `<p>Body, ${toHtml(type)}:</p>${toCode(schema)}`);
	return `<details><summary><code>${method.toUpperCase()} ${toHtml(path)}</code> ${toHtml(summary)}</summary>
${toParagraphs(description)}<p>Permission: <code>${toHtml(operation["x-permission"])}</code></p>
${parameters.length === 0 ? "" : `<table><tr><th>Parameter</th><th>In</th><th>Is</th><th>Meaning</th></tr>${parameters.map(toParameterRow).join("")}</table>`}
${bodies.join("")}<table><tr><th>Status</th><th>Meaning</th><th>Body</th></tr>${responses.map(toResponseRow).join("")}</table></details>`;
}

function toParameterRow({ name, in: location, description = "", schema }: NonNullable<Operation["parameters"]>[number]): string {
	const { type, pattern } = schema as { readonly type?: string; readonly pattern?: string };
	const cells = [
		`<code>${toHtml(name)}</code>`,
		location,
		toHtml(`${type}${pattern === undefined ? "" : `, ${pattern}`}`),
		toInline(description),
	];
	return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

function toResponseRow([status, { description, content = {}, headers = {} }]: [string, Response]): string {
	const bodies = Object.entries(content).map(([type, { schema }]) => `${toHtml(type)} ${toLink(schema)}`);
	const names = Object.keys(headers).map((name) => `<code>${toHtml(name)}</code>`);
	return `<tr><td>${status}</td><td>${toInline(description)}</td><td>${[...bodies, ...names].join(", ")}</td></tr>`;
}

/** Returns a link to a named schema. For a list it links the schema of the items, for alternatives that of the first one. */
function toLink(schema: JsonSchema): string {
	const { $ref, items, anyOf } = schema as { readonly $ref?: string; readonly items?: JsonSchema; readonly anyOf?: readonly JsonSchema[] };
	const [first] = anyOf ?? [];
	if (first !== undefined) return toLink(first);
	if (items !== undefined) return `list of ${toLink(items)}`;
	const name = $ref?.split("/").at(-1);
	return name === undefined ? "" : `<a href="#${toHtml(name)}">${toHtml(name)}</a>`;
}

function toCode(value: unknown): string {
	return `<pre>${toHtml(JSON.stringify(value, undefined, 2))}</pre>`;
}

function toParagraphs(text: string): string {
	return text
		.split("\n\n")
		.filter((paragraph) => paragraph !== "")
		.map((paragraph) => `<p>${toInline(paragraph)}</p>`)
		.join("");
}

/** Returns a string as HTML, with the parts in backticks as code. */
function toInline(text: string): string {
	return toHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function toHtml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
