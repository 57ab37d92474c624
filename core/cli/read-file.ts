import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { exactNumberTags, isJsonObject, type JsonObject, toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";

/** The text of a file. */
export function readTextFile(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new CliExit(2, `${file} cannot be read: ${toErrorMessage(error)}`);
	}
}

/** The value in a JSON or YAML file, with whole numbers exactly. */
export function readValue(file: string): unknown {
	const text = readTextFile(file);
	try {
		return parse(text, { customTags: exactNumberTags });
	} catch (error) {
		throw new CliExit(2, `${file} cannot be read: ${toErrorMessage(error)}`);
	}
}

/** The object in a JSON or YAML file. */
export function readObject(file: string): JsonObject {
	const value = readValue(file);
	if (!isJsonObject(value)) throw new CliExit(2, `${file} must hold an object`);
	return value;
}
