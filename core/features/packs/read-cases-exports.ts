import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, SvcError, toErrorMessage } from "../../contract/index.ts";
import { checkAttributes, object } from "../../language/file-attributes.ts";
import type { CaseAttributes } from "../../language/file-schema.ts";
import { LocatedYaml } from "./inspect-pack-exports.ts";

/** Limits of a file of cases: size in bytes, and number of cases. */
const limits = { size: 1_000_000, cases: 1_000 };

/** A test case of a file. */
export interface ReadCase {
	readonly name: string;
	readonly given: JsonObject;
	readonly expect: JsonObject;
}

/** Reads the list of test cases in a file of a pack. Throws `SVC_INVALID` with the line, or with the case and the attribute. */
export async function readCases(directory: string, file: string, shape: CaseAttributes): Promise<readonly ReadCase[]> {
	const { size } = await stat(join(directory, file));
	if (size > limits.size) throw new SvcError("SVC_INVALID", `must be at most ${limits.size} bytes, got ${size}`);
	const { problems, value } = new LocatedYaml(await readFile(join(directory, file), "utf8"));
	const [first] = problems;
	if (first !== undefined) throw new SvcError("SVC_INVALID", `${first.line === null ? "" : `line ${first.line}: `}${first.message}`);
	return toCases(value, shape);
}

/** Returns the test cases in a parsed file, which must be a list. */
export function toCases(value: JsonValue | undefined, shape: CaseAttributes): readonly ReadCase[] {
	if (!Array.isArray(value)) throw new SvcError("SVC_INVALID", "must contain a list of cases");
	if (value.length > limits.cases) throw new SvcError("SVC_INVALID", `must contain at most ${limits.cases} cases, got ${value.length}`);
	return value.map((one, index) => toCase(one, index, shape));
}

function toCase(one: unknown, index: number, { attributes, expect: expected }: CaseAttributes): ReadCase {
	try {
		if (!isJsonObject(one)) throw new SvcError("SVC_INVALID", "must be an object");
		checkAttributes(one, { ...attributes, expect: object }, true);
		const expect = isJsonObject(one["expect"]) ? one["expect"] : {};
		checkAttributes(expect, expected, true);
		return { name: String(one["name"] ?? `case ${index + 1}`), given: one, expect };
	} catch (error) {
		throw new SvcError("SVC_INVALID", `case ${index + 1}: ${toErrorMessage(error)}`, { cause: error });
	}
}

/**
 * Returns the files with test cases of a pack. The subject of a file is its name without the extension: `feed` for `tests/rules/feed.yaml`.
 */
export function findCaseFiles(files: readonly string[], folder: string): readonly { readonly file: string; readonly subject: string }[] {
	return files
		.filter((file) => file.startsWith(`${folder}/`) && /\.ya?ml$/.test(file))
		.map((file) => ({ file, subject: file.slice(folder.length + 1).replace(/(?:\.test)?\.ya?ml$/, "") }));
}
