import { readFile, stat } from "node:fs/promises";
import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { SvcError } from "../../../contract/index.ts";
import { assertYamlDepth, maxFileTokens, parseYamlDocument } from "../../../language/yaml-document.ts";

/** Largest file of a pack that is read. */
export const maximumSize = 500_000;

/** The object in a YAML file. `SVC_INVALID` says what is wrong, with the line where there is one. */
export async function readYamlObject(path: string): Promise<JsonObject> {
	const information = await stat(path);
	if (!information.isFile()) throw new SvcError("SVC_INVALID", "must be a file");
	if (information.size > maximumSize) throw new SvcError("SVC_INVALID", `must be at most ${maximumSize} bytes, has ${information.size}`);
	return parseYamlObject(await readFile(path, "utf8"));
}

/** Whether a text holds nothing but comments. Line by line, as a pattern for all of them could take for ever. */
export function holdsOnlyComments(text: string): boolean {
	return text.split("\n").every((line) => /^\s*(?:#|---\s*$|$)/.test(line));
}

/** The object in a YAML text, merge keys included. Values are those of JSON; dates stay text. */
export function parseYamlObject(text: string): JsonObject {
	const { document, lines } = parseYamlDocument(text, { merge: true, stringKeys: true, maxTokens: maxFileTokens });
	const [error] = document.errors;
	if (error !== undefined) {
		const { line } = lines.linePos(error.pos[0]);
		const hint = error.code === "NON_STRING_KEY" ? "; a value that begins with braces needs quotes around it" : "";
		throw new SvcError("SVC_INVALID", `line ${line}: ${error.message}${hint}`, { cause: error });
	}
	const value = toValue(() => document.toJS({ maxAliasCount: 100 }) as JsonValue);
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new SvcError("SVC_INVALID", "must hold an object of attributes");
	assertYamlDepth(value);
	return value as JsonObject;
}

/** Aliases are resolved here, and too many of them are refused here. */
function toValue(read: () => JsonValue): JsonValue {
	try {
		return read();
	} catch (error) {
		throw new SvcError("SVC_INVALID", `cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
	}
}
