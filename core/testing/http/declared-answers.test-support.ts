import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiDocument } from "../../http/openapi/document.ts";

/** A request that was answered, as far as the description of the API has a say in it. */
export interface Exchange {
	readonly method: string;
	/** As the document has it, with `{name}` for what varies. */
	readonly path: string;
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Undefined where it was not read, as of a stream. */
	readonly text: string | undefined;
	/** Whether it was asked for some members only. */
	readonly isSelected: boolean;
	/** Whether it carried a credential that was meant to be good. Default true. */
	readonly hasCredential?: boolean;
}

interface Media {
	readonly schema: { readonly anyOf?: readonly unknown[]; readonly contentSchema?: unknown };
}

interface Operation {
	readonly security: readonly unknown[];
	readonly parameters?: readonly { readonly name: string }[];
	readonly responses: Readonly<Record<string, DeclaredResponse | { readonly $ref: string }>>;
}

interface DeclaredResponse {
	readonly content?: Readonly<Record<string, Media>>;
	readonly headers?: Headers;
}

type Headers = Readonly<Record<string, { readonly required?: boolean }>>;

/** Compares answers with what a document says of them. */
export class DeclaredAnswers {
	readonly #document: ApiDocument;
	// A validator checks few answers, so optimizing its code takes longer than it saves.
	readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false, code: { optimize: false } });
	readonly #validators = new Map<string, ValidateFunction>();

	constructor(document: ApiDocument) {
		this.#document = document;
		this.#ajv.addSchema({ ...document, components: { ...document.components, schemas: withoutDepth(document.components.schemas) } }, "api");
	}

	/** What the answer has that the document does not say, or the other way round. */
	findProblem(exchange: Exchange): string | undefined {
		const { method, path, status } = exchange;
		const operation = this.#document.paths[path]?.[method.toLowerCase()] as unknown as Operation | undefined;
		const label = `${method} ${path} ${status}`;
		if (operation === undefined) return status === 405 ? undefined : `${label}: the method is not declared, so that it has to be 405`;
		if (operation.security.length > 0 && exchange.hasCredential === false && status < 400) return `${label}: it asks for no credential`;
		const response = operation.responses[String(status)];
		if (response === undefined) return `${label}: the status is not declared`;
		const name = "$ref" in response ? response.$ref.split("/").at(-1) : undefined;
		const pointer =
			name === undefined ? ["paths", path, method.toLowerCase(), "responses", String(status)] : ["components", "responses", name];
		const { content = {}, headers = {} } = (name === undefined ? response : this.#document.components.responses[name]) as DeclaredResponse;
		const problem = this.#findContentProblem(exchange, operation, { content, pointer }) ?? findHeaderProblem(exchange, headers);
		return problem && `${label}: ${problem}`;
	}

	#findContentProblem(
		{ headers, text, isSelected }: Exchange,
		operation: Operation,
		{ content, pointer }: { readonly content: Readonly<Record<string, Media>>; readonly pointer: readonly string[] },
	): string | undefined {
		const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
		if (Object.keys(content).length === 0) return text ? "it has a body, and none is declared" : undefined;
		const declared = Object.keys(content).find((name) => name === type);
		if (declared === undefined) return `the content type ${type} is not declared`;
		if (text === undefined) return undefined;
		if (declared === "text/event-stream") return this.#findEventProblem(text, [...pointer, "content", declared, "schema", "contentSchema"]);
		if (!/json/.test(declared)) return undefined;
		const choosesMembers = operation.parameters?.some(({ name }) => name === "include_attributes") === true;
		const first = choosesMembers && !isSelected && content[declared]?.schema.anyOf !== undefined ? ["anyOf", "0"] : [];
		return this.#findValueProblem(text, [...pointer, "content", declared, "schema", ...first]);
	}

	#findEventProblem(text: string, pointer: readonly string[]): string | undefined {
		const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
		return data.map((one) => this.#findValueProblem(one, pointer)).find((problem) => problem !== undefined);
	}

	#findValueProblem(text: string, pointer: readonly string[]): string | undefined {
		const validate = this.#validator(pointer);
		if (validate(JSON.parse(text))) return undefined;
		return `${this.#ajv.errorsText(validate.errors, { dataVar: "it" }).slice(0, 500)}: ${text.slice(0, 500)}`;
	}

	#validator(pointer: readonly string[]): ValidateFunction {
		const key = `api#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
		let validate = this.#validators.get(key);
		if (validate === undefined) {
			validate = this.#ajv.compile({ $ref: key });
			this.#validators.set(key, validate);
		}
		return validate;
	}
}

/** What any value of JSON is need not be walked through: hostile ones are deeper than the stack of the validator. */
function withoutDepth(schemas: ApiDocument["components"]["schemas"]): ApiDocument["components"]["schemas"] {
	return { ...schemas, JsonObject: { type: "object" } };
}

function findHeaderProblem({ headers }: Exchange, declared: Headers): string | undefined {
	const missing = Object.entries(declared).find(([name, { required }]) => required === true && !(name.toLowerCase() in headers));
	return missing && `the header ${missing[0]} is missing`;
}
