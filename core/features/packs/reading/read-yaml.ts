import { readFile, stat } from "node:fs/promises";
import { type JsonObject, type JsonValue, SvcError } from "../../../contract/index.ts";
import { assertYamlDepth, maxFileTokens, parseYamlDocument } from "../../../language/yaml-document.ts";

/** Maximum bytes of a YAML file in a pack. */
export const maximumSize = 500_000;

/** Reads the object in a YAML file. Throws `SVC_INVALID` with the problem and, if available, its line. */
export async function readYamlObject(path: string): Promise<JsonObject> {
	const information = await stat(path);
	if (!information.isFile()) throw new SvcError("SVC_INVALID", "must be a file");
	if (information.size > maximumSize) throw new SvcError("SVC_INVALID", `must be at most ${maximumSize} bytes, got ${information.size}`);
	return parseYamlObject(await readFile(path, "utf8"));
}

/**
 * True if a string contains only YAML comments, blank lines and `---`. Tests each line, because one pattern for all lines could backtrack
 * very long.
 */
export function holdsOnlyComments(text: string): boolean {
	return text.split("\n").every((line) => /^\s*(?:#|---\s*$|$)/.test(line));
}

/** Parses a YAML object and resolves merge keys. Values are JSON values; dates stay strings. Throws `SVC_INVALID`. */
export function parseYamlObject(text: string): JsonObject {
	const { document, lines } = parseYamlDocument(text, { merge: true, stringKeys: true, maxTokens: maxFileTokens });
	const [error] = document.errors;
	if (error !== undefined) {
		const { line } = lines.linePos(error.pos[0]);
		const hint = error.code === "NON_STRING_KEY" ? "; put a value that begins with a brace in quotes" : "";
		throw new SvcError("SVC_INVALID", `line ${line}: ${error.message}${hint}`, { cause: error });
	}
	const value = toValue(() => document.toJS({ maxAliasCount: 100 }) as JsonValue);
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new SvcError("SVC_INVALID", "must be an object of attributes");
	assertYamlDepth(value);
	return value as JsonObject;
}

/** Converts a document to a value, which resolves aliases. Throws `SVC_INVALID`, for example if there are too many aliases. */
function toValue(read: () => JsonValue): JsonValue {
	try {
		return read();
	} catch (error) {
		throw new SvcError("SVC_INVALID", `cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
	}
}
