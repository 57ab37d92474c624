import { readFileSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parse } from "yaml";
import { exactNumberTags, isJsonObject, type JsonObject, toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";

/** Returns the content of a file. Exits with 2 if it cannot be read. */
export function readTextFile(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new CliExit(2, toFileProblem(file, error));
	}
}

/** Returns the message for a file that cannot be read. */
export function toFileProblem(file: string, error: unknown): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "ENOENT") return `file "${file}" does not exist${isAbsolute(file) ? "" : ` in ${process.cwd()}`}`;
	if (code === "EISDIR") return `file "${file}" is a directory; name a file in it`;
	if (code === "EACCES") return `file "${file}" cannot be read: permission denied`;
	return `file "${file}" cannot be read: ${toErrorMessage(error)}`;
}

/** Returns the value in a JSON or YAML file, without rounding whole numbers. Exits with 2 if the file cannot be read. */
export function readValue(file: string): unknown {
	const text = readTextFile(file);
	try {
		return parse(text, { customTags: exactNumberTags });
	} catch (error) {
		throw new CliExit(2, `file "${file}" is not valid JSON or YAML: ${toErrorMessage(error)}`);
	}
}

/** Returns the object in a JSON or YAML file. Exits with 2 if the file cannot be read or contains another value. */
export function readObject(file: string): JsonObject {
	const value = readValue(file);
	if (!isJsonObject(value)) throw new CliExit(2, `file "${file}" must contain an object`);
	return value;
}
