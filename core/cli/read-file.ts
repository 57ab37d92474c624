import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { isJsonObject, type JsonObject, toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";

/** The text of a file. */
export function readTextFile(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		throw new CliExit(2, `${file} cannot be read: ${toErrorMessage(error)}`);
	}
}

/** The object in a JSON or YAML file. */
export function readObject(file: string): JsonObject {
	let value: unknown;
	try {
		value = parse(readFileSync(file, "utf8"));
	} catch (error) {
		throw new CliExit(2, `${file} cannot be read: ${toErrorMessage(error)}`);
	}
	if (!isJsonObject(value)) throw new CliExit(2, `${file} must hold an object`);
	return value;
}
