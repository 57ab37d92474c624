import { openAsBlob } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { type JsonValue, parseJson, parsePythonLiteral, SvcError, stringifyJson, toErrorMessage } from "../../core/contract/index.ts";

/** What goes into the body of a request, as the action has it. */
export interface BodyInput {
	readonly body: JsonValue | undefined;
	readonly fileName: string | undefined;
	readonly fileContent: string | undefined;
	readonly filePath: string | undefined;
	readonly fileContentType: string | undefined;
	/** Directories that `svc_file_path` may lie in; a relative path starts at the first. */
	readonly fileRoots: readonly string[];
	/** The request's `Content-Type`, when it has one. */
	readonly contentType: string | undefined;
}

export interface EncodedBody {
	/** It can be sent more than once: redirects may ask for that. */
	readonly content: Buffer | FormData;
	/** For the header, when the request has none that fits. */
	readonly contentType?: string;
}

/** The body of the request, undefined when it has none. */
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

/** The text of a rendered object is in Python's spelling. */
function parseBody(text: string): JsonValue {
	try {
		return parseJson(text);
	} catch {
		const value = parsePythonLiteral(text);
		if (value !== undefined) return value;
		throw new SvcError("SVC_RUNNER", "body: is not valid JSON, which the content type application/json needs");
	}
}

/** A form with the file in the field `file`; the members of a body that is an object are further fields. */
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

/** Whoever may send a request is not for that allowed to read every file of the service. */
async function findFile(path: string, roots: readonly string[]): Promise<string> {
	const [first] = roots;
	if (first === undefined) {
		throw new SvcError("SVC_RUNNER", "svc_file_path: the action's pack has no directory, and the option file_roots names none");
	}
	const found = await realpath(resolve(first, path)).catch((cause: unknown) => {
		throw new SvcError("SVC_RUNNER", `svc_file_path: "${path}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	});
	for (const root of roots) {
		const directory = await realpath(root).catch(() => undefined);
		if (directory !== undefined && found.startsWith(directory.endsWith(sep) ? directory : directory + sep)) return found;
	}
	throw new SvcError("SVC_RUNNER", `svc_file_path: "${path}" is not inside the action's pack or a directory of the option file_roots`);
}
