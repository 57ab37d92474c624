import type { ApiDocument } from "../../core/http/openapi/document.ts";
import type { JsonSchema } from "../../core/http/openapi/schema-builders.ts";

/** The parts of an OpenAPI operation that the page shows. */
interface Operation {
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description?: string;
	readonly "x-permission": string;
	readonly parameters?: readonly {
		readonly name: string;
		readonly in: string;
		readonly required?: boolean;
		readonly description?: string;
		readonly schema: JsonSchema;
	}[];
	readonly requestBody?: { readonly content: Content };
	readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Response {
	readonly description: string;
	readonly content?: Content;
}

/**
 * Returns the API description as one Markdown page: a section for each tag, with a heading for each operation, and the schemas. The
 * search of the site finds headings, so every operation and schema has one.
 */
export function toApiPage({ info, tags, paths, components }: ApiDocument): string {
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as unknown as Operation })),
	);
	const shared = components.responses as unknown as Readonly<Record<string, Response>>;
	const sections = tags.map(({ name, description }) => {
		const own = operations.filter(({ operation }) => operation.tags.includes(name));
		return `## ${name}\n\n${description}\n\n${own.map((entry) => toOperationText(entry, shared)).join("\n")}`;
	});
	const schemas = Object.entries(components.schemas).map(([name, schema]) => `### Schema ${name}\n\n${toBlock(schema)}`);
	return `---
outline: 2
---

# API description

The OpenAPI description of svc ${info.version}. A running service serves it at \`/v1/openapi.json\`.

${info["description"]}

${sections.join("\n")}
## Schemas

${schemas.join("\n")}`;
}

interface OperationEntry {
	readonly path: string;
	readonly method: string;
	readonly operation: Operation;
}

function toOperationText({ path, method, operation }: OperationEntry, shared: Readonly<Record<string, Response>>): string {
	const { summary, description, parameters = [], requestBody } = operation;
	const parts = [
		`### \`${method.toUpperCase()} ${path}\``,
		`${summary}.${description === undefined ? "" : ` ${description}`}`,
		`Permission: \`${operation["x-permission"]}\``,
	];
	if (parameters.length > 0) parts.push(toTable(["Parameter", "In", "Type", "Description"], parameters.map(toParameterRow)));
	for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) parts.push(`Body, \`${type}\`: ${toSchemaText(schema)}`);
	const responses = Object.entries(operation.responses).map(([status, response]) => {
		const { description: meaning, content = {} } = "$ref" in response ? (shared[toName(response.$ref)] ?? { description: "" }) : response;
		const bodies = Object.entries(content).map(([type, { schema }]) => [`\`${type}\``, toLink(schema)].filter(Boolean).join(" "));
		return [status, meaning, bodies.join(", ")];
	});
	parts.push(toTable(["Status", "Description", "Body"], responses));
	return `${parts.join("\n\n")}\n`;
}

function toParameterRow(parameter: NonNullable<Operation["parameters"]>[number]): readonly string[] {
	const { type, pattern } = parameter.schema as { readonly type?: string; readonly pattern?: string };
	const types = [type, pattern].flatMap((part) => (part === undefined ? [] : [`\`${part}\``]));
	return [`\`${parameter.name}\``, parameter.in, types.join(" "), parameter.description ?? ""];
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const toRow = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
	return [toRow(head), toRow(head.map(() => "---")), ...rows.map(toRow)].join("\n");
}

/** Returns a link to a named schema, otherwise the schema as a code block. */
function toSchemaText(schema: JsonSchema): string {
	const link = toLink(schema);
	return link === "" ? `\n\n${toBlock(schema)}` : link;
}

/** Returns links to the named schemas of a value; empty if it has none. */
function toLink(schema: JsonSchema): string {
	const { $ref, items, anyOf } = schema as { readonly $ref?: string; readonly items?: JsonSchema; readonly anyOf?: readonly JsonSchema[] };
	if (anyOf !== undefined) return anyOf.flatMap((choice) => toLink(choice) || []).join(" or ");
	if (items !== undefined) return toLink(items) && `list of ${toLink(items)}`;
	if ($ref === undefined) return "";
	const name = toName($ref);
	return `[${name}](#schema-${name.toLowerCase()})`;
}

function toName(reference: string): string {
	return reference.slice(reference.lastIndexOf("/") + 1);
}

function toBlock(schema: JsonSchema): string {
	return `\`\`\`text\n${JSON.stringify(schema, undefined, 2)}\n\`\`\`\n`;
}
