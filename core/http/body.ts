import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { isSvcError, type JsonValue, maxLargeNumbers, parseJson, SvcError } from "../contract/index.ts";
import { type BodyReadOptions, readBytes } from "./body-reader.ts";
import { isJsonType, toMediaType } from "./media-type.ts";
import type { ServerRequest } from "./server-request.ts";

/** A JSON schema with its TypeScript type `B`. It is compiled at its first use. */
export interface BodySchema<B> {
	readonly schema: Readonly<Record<string, unknown>>;
	/**
	 * True if clients may also send the body as a form, in which a field with one value becomes a string. Default false: every field of a form
	 * becomes a list of its values.
	 */
	readonly isForm?: boolean;
	/** Returns the value if it matches the schema. Throws `SVC_INVALID` naming the field. */
	parse(value: unknown): B;
}

/** Maximum levels of nesting in a JSON body. */
const maximumDepth = 200;
const formType = "application/x-www-form-urlencoded";
const ajv = new Ajv({ strict: false, logger: false, validateSchema: false });

/** Declares the body of a route as an object with these properties. */
export function defineBody<B>(definition: {
	readonly properties: Readonly<Record<string, unknown>>;
	readonly required?: readonly string[];
	/** True if other members are refused instead of ignored. Default false. */
	readonly closed?: boolean;
	/** True if members may have any name, such as the values of a configuration, so that no warning reports an ignored one. Default false. */
	readonly open?: boolean;
	/** See `BodySchema.isForm`. */
	readonly isForm?: boolean;
}): BodySchema<B> {
	const { properties, required = [], closed = false, open = false, isForm = false } = definition;
	const schema = { type: "object", properties, required, ...((closed || open) && { additionalProperties: open }) };
	let validate: ValidateFunction<B> | undefined;
	return {
		schema,
		isForm,
		parse(value) {
			validate ??= ajv.compile<B>(schema);
			if (validate(value)) return value;
			throw new SvcError("SVC_INVALID", toMessage(validate.errors?.[0]));
		},
	};
}

/** Reads, parses and validates the body of a request. An empty body counts as `{}`. Throws `SVC_INVALID` and the errors of `readBytes`. */
export async function readBody<B>(request: ServerRequest, body: BodySchema<B>, bounds: BodyReadOptions): Promise<B> {
	const contentType = request.headers.get("content-type");
	const text = decodeBodyText(await readBytes(request, bounds), contentType);
	return body.parse(text === "" ? {} : parseText(text, contentType, body.isForm === true));
}

/** The bytes of a body and the value that they contain. */
export interface BodyWithBytes {
	/** Bytes after decoding from the content coding. Senders sign these bytes before their HTTP client compresses them. */
	readonly bytes: Uint8Array;
	/** Any JSON value, or the fields of a form: a string each, or an array for several values. An empty body is `{}`. */
	readonly value: JsonValue;
}

/**
 * Reads a body together with its bytes, for checking signatures: serializing the parsed value would not reproduce the signed bytes. Throws
 * `SVC_INVALID` and the errors of `readBytes`.
 */
export async function readBodyWithBytes(request: ServerRequest, bounds: BodyReadOptions): Promise<BodyWithBytes> {
	const bytes = await readBytes(request, bounds);
	const contentType = request.headers.get("content-type");
	const text = decodeBodyText(bytes, contentType);
	if (text === "") return { bytes, value: {} };
	if (toMediaType(contentType) === "text/plain") throw unsupportedType();
	return { bytes, value: parseText(text, contentType, true) };
}

/** Media types accepted for a text body. JSON is included because it is also YAML. */
export const textMediaTypes: readonly string[] = ["text/plain", "application/yaml", "application/x-yaml", "text/yaml", "application/json"];

/** Reads a body as text without parsing it. Throws `SVC_INVALID` for a media type that is not text, and the errors of `readBytes`. */
export async function readTextBody(request: ServerRequest, bounds: BodyReadOptions): Promise<string> {
	const contentType = request.headers.get("content-type");
	const type = toMediaType(contentType);
	if (type === "" || isJsonType(type) || textMediaTypes.includes(type))
		return decodeBodyText(await readBytes(request, bounds), contentType);
	throw new SvcError("SVC_INVALID", "Failed to parse request body: content type is not supported, use text/plain");
}

/** Returns the fields of a form, with each list of one value replaced by that value. */
function unwrapSingleValues(fields: Record<string, string[]>): JsonValue {
	return Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

function unsupportedType(): SvcError {
	const hint = 'send the header "Content-Type: application/json"';
	return new SvcError("SVC_INVALID", `Failed to parse request body: content type is not supported, ${hint}`);
}

/** @param unwrapsForm true if a field of a form with one value becomes that value, instead of a list */
function parseText(text: string, contentType: string | null, unwrapsForm: boolean): JsonValue {
	const type = toMediaType(contentType);
	if (type === formType) return unwrapsForm ? unwrapSingleValues(parseForm(text)) : parseForm(text);
	if (type === "" || type === "text/plain" || isJsonType(type)) return parseJsonBody(text, type);
	throw unsupportedType();
}

function parseJsonBody(text: string, type: string): JsonValue {
	if (isTooDeep(text)) throw new SvcError("SVC_INVALID", `Failed to parse request body: nested deeper than ${maximumDepth} levels`);
	try {
		return parseJson(text, maxLargeNumbers);
	} catch (cause) {
		const hint = type === "" ? ", which is assumed without the header Content-Type" : "";
		const problem = isSvcError(cause) ? cause.message : `not valid JSON${hint}`;
		throw new SvcError("SVC_INVALID", `Failed to parse request body: ${problem}`, { cause });
	}
}

/**
 * Refuses JSON in a body that is declared as a form. Some clients declare a form for every body; the whole text of a JSON object would then
 * become the name of one field with an empty value.
 */
function assertNotJson(text: string): void {
	if (!/^\s*[{[]/.test(text)) return;
	try {
		JSON.parse(text);
	} catch {
		return;
	}
	const hint = `the header Content-Type declares a form (${formType}); send "Content-Type: application/json"`;
	throw new SvcError("SVC_INVALID", `Failed to parse request body: it is JSON, but ${hint}`);
}

/** Returns the fields of a form, each as an array of its non-empty values. The object has no prototype, so that no name is special. */
function parseForm(text: string): Record<string, string[]> {
	assertNotJson(text);
	const fields: Record<string, string[]> = Object.create(null);
	for (const [name, value] of new URLSearchParams(text)) {
		if (value === "") continue;
		fields[name] ??= [];
		fields[name].push(value);
	}
	return fields;
}

/**
 * Returns true if a JSON string is nested deeper than 200 levels. The string is checked before parsing, because recursive code later visits
 * the value and could overflow the stack.
 */
function isTooDeep(text: string): boolean {
	if (text.length <= 2 * maximumDepth) return false;
	let depth = 0;
	let isInString = false;
	for (let index = 0; index < text.length; index += 1) {
		const code = text.charCodeAt(index);
		if (isInString) {
			if (code === 0x5c) index += 1;
			else if (code === 0x22) isInString = false;
		} else if (code === 0x22) isInString = true;
		else if (code === 0x7b || code === 0x5b) {
			depth += 1;
			if (depth > maximumDepth) return true;
		} else if (code === 0x7d || code === 0x5d) depth -= 1;
	}
	return false;
}

/** Returns the error message for a value that does not match its schema. */
function toMessage(error: ErrorObject | undefined): string {
	if (error === undefined) return "body: is not valid";
	const field = error.instancePath.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
	const parameters = error.params as { missingProperty?: string; additionalProperty?: string; allowedValues?: unknown[] };
	const qualify = (name: string | undefined) => (field === "" ? name : `${field}.${name}`);
	switch (error.keyword) {
		case "required":
			return `${qualify(parameters.missingProperty)}: is a required property`;
		case "additionalProperties":
			return `${qualify(parameters.additionalProperty)}: is not allowed here`;
		case "enum":
			return `${field}: must be one of ${parameters.allowedValues?.join(", ")}`;
		case "type":
			return `${field === "" ? "body" : field}: must be ${[error.params["type"]].flat().join(" or ")}`;
		default:
			return `${field === "" ? "body" : field}: ${error.message ?? "is not valid"}`;
	}
}

/** Byte order marks, by charset. */
const byteOrderMarks = [
	["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
	["utf-16le", Buffer.from([0xff, 0xfe])],
	["utf-16be", Buffer.from([0xfe, 0xff])],
] as const;

/**
 * Returns the text of a body without its byte order mark. The charset is that of the mark, otherwise the one in `Content-Type`,
 * otherwise UTF-8. Throws `SVC_INVALID` for bytes that are not text in that charset, and `SVC_UNSUPPORTED` for an unknown charset.
 */
function decodeBodyText(bytes: Buffer, contentType: string | null): string {
	const markCharset = byteOrderMarks.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark))?.[0];
	const charset = markCharset ?? findCharset(contentType) ?? "utf-8";
	if (charset === "utf-8") {
		if (!isUtf8(bytes)) throw invalidText("UTF-8");
		// The UTF-8 mark is three bytes long.
		return bytes.toString("utf8", markCharset === undefined ? 0 : 3);
	}
	const decoder = createDecoder(charset);
	try {
		return decoder.decode(bytes);
	} catch (cause) {
		throw invalidText(charset, cause);
	}
}

function findCharset(contentType: string | null): string | undefined {
	// Most requests declare no charset. Searching for the word is faster than the capturing expression.
	if (contentType === null || !/charset/i.test(contentType)) return undefined;
	return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
}

function createDecoder(charset: string): TextDecoder {
	try {
		return new TextDecoder(charset, { fatal: true });
	} catch (cause) {
		const name = JSON.stringify(charset.slice(0, 100));
		throw new SvcError("SVC_UNSUPPORTED", `header Content-Type: the charset ${name} is not supported, use utf-8`, { cause });
	}
}

function invalidText(charset: string, cause?: unknown): SvcError {
	const hint = "the header Content-Type may declare another charset";
	return new SvcError("SVC_INVALID", `Failed to parse request body: not valid ${charset}; ${hint}`, { cause });
}
