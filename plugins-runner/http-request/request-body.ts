import { openAsBlob } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { type JsonValue, parseJson, parsePythonLiteral, SvcError, stringifyJson, toErrorMessage } from "../../core/contract/index.ts";

/** Parameters of the action that determine the body of a request. */
export interface BodyInput {
	readonly body: JsonValue | undefined;
	readonly fileName: string | undefined;
	readonly fileContent: string | undefined;
	readonly filePath: string | undefined;
	readonly fileContentType: string | undefined;
	/** Directories that may contain the file `svc_file_path`; a relative path is resolved against the first one. */
	readonly fileRoots: readonly string[];
	/** Header `Content-Type` of the request, if present. */
	readonly contentType: string | undefined;
}

export interface EncodedBody {
	/** Content that can be sent more than once, because redirects may require that. */
	readonly content: Buffer | FormData;
	/** Value for the header `Content-Type`, if the request has no suitable one. */
	readonly contentType?: string;
}

/** Returns the body of the request; undefined if it has none. */
export async function encodeBody(input: BodyInput): Promise<EncodedBody | undefined> {
	if (input.fileContent !== undefined || input.filePath !== undefined) return { content: await encodeForm(input) };
	const { body, contentType } = input;
	if (body === undefined || body === null) return undefined;
	if (typeof body !== "string")
		return { content: toJsonBytes(body), ...(contentType === undefined && { contentType: "application/json" }) };
	return { content: contentType === "application/json" ? toJsonBytes(parseBody(body)) : Buffer.from(body) };
}

function toJsonBytes(value: JsonValue): Buffer {
	return Buffer.from(stringifyJson(value));
}

/** Parses JSON or a Python literal, because a rendered object is formatted in Python's syntax. */
function parseBody(text: string): JsonValue {
	try {
		return parseJson(text);
	} catch {
		const value = parsePythonLiteral(text);
		if (value !== undefined) return value;
		throw new SvcError("SVC_RUNNER", "body: is not valid JSON, which the content type application/json requires");
	}
}

/** Returns a form with the file in the field `file`. If the body is an object, its members are additional fields. */
async function encodeForm(input: BodyInput): Promise<FormData> {
	const form = new FormData();
	for (const [name, value] of Object.entries(toFields(input.body))) {
		form.append(name, typeof value === "string" ? value : stringifyJson(value));
	}
	const type = input.fileContentType ?? "application/octet-stream";
	if (input.fileContent !== undefined) {
		if (input.filePath !== undefined) throw new SvcError("SVC_RUNNER", "file_content and svc_file_path cannot be used together");
		form.append("file", new Blob([input.fileContent], { type }), input.fileName ?? "file");
	} else if (input.filePath !== undefined) {
		const path = await findFile(input.filePath, input.fileRoots);
		form.append("file", await openAsBlob(path, { type }), input.fileName ?? basename(path));
	}
	return form;
}

function toFields(body: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
	if (body === undefined || body === null || body === "") return {};
	const fields = typeof body === "string" ? parseBody(body) : body;
	if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return fields as Readonly<Record<string, JsonValue>>;
	throw new SvcError("SVC_RUNNER", "body: must be an object of form fields when a file is sent");
}

/**
 * Returns the real path of a file in one of the directories. The permission to send a request must not include access to all files of the
 * service.
 */
async function findFile(path: string, roots: readonly string[]): Promise<string> {
	const [first] = roots;
	if (first === undefined) {
		throw new SvcError("SVC_RUNNER", "svc_file_path: the action's pack has no directory, and the option file_roots is not set");
	}
	const found = await realpath(resolve(first, path)).catch((cause: unknown) => {
		throw new SvcError("SVC_RUNNER", `svc_file_path: "${path}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	});
	for (const root of roots) {
		const directory = await realpath(root).catch(() => undefined);
		if (directory !== undefined && found.startsWith(directory.endsWith(sep) ? directory : directory + sep)) return found;
	}
	throw new SvcError("SVC_RUNNER", `svc_file_path: "${path}" is neither in the action's pack nor in a directory of the option file_roots`);
}
