import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type DialectKind, type JsonObject, type PackFinding, toErrorMessage } from "../../../contract/index.ts";
import type { Dialects } from "../../../language/dialects.ts";
import { holdsOnlyComments, maximumSize } from "../reading/read-yaml.ts";
import { type FileReading, findProblems } from "./find-problems.ts";
import { findingOf, locatedFinding } from "./findings.ts";
import { LocatedYaml } from "./located-yaml.ts";

export interface InspectedFile {
	readonly findings: readonly PackFinding[];
	/** Content, translated from other dialects. Undefined if the file contains no object, or could not be read or translated. */
	readonly metadata: JsonObject | undefined;
	readonly yaml: LocatedYaml | undefined;
}

export interface FileOfPack {
	/** Absolute path of the pack. */
	readonly directory: string;
	/** Path relative to the pack. */
	readonly file: string;
	readonly dialects: Dialects;
}

export interface KindReading extends FileReading {
	readonly kind: DialectKind;
	/** True if a file with nothing but comments counts as an empty object. Default false. */
	readonly mayBeEmpty?: boolean;
}

/** Returns all errors in a YAML file, and its content. */
export async function inspectFile(
	{ directory, file, dialects }: FileOfPack,
	{ kind, mayBeEmpty = false, ...reading }: KindReading,
): Promise<InspectedFile> {
	const nothing = (finding: PackFinding) => ({ findings: [finding], metadata: undefined, yaml: undefined });
	let text: string;
	try {
		const { size } = await stat(join(directory, file));
		if (size > maximumSize) return nothing(findingOf("error", file, `must be at most ${maximumSize} bytes, got ${size}`));
		text = await readFile(join(directory, file), "utf8");
	} catch (error) {
		return nothing(findingOf("error", file, `cannot be read: ${toErrorMessage(error)}`));
	}
	if (mayBeEmpty && holdsOnlyComments(text)) text = "{}";
	const yaml = new LocatedYaml(text);
	if (yaml.problems.length > 0) {
		return {
			findings: yaml.problems.map(({ line, message }) => findingOf("error", file, message, line)),
			metadata: undefined,
			yaml: undefined,
		};
	}
	try {
		const metadata = dialects.translate(kind, yaml.object);
		const problems = await findProblems(metadata, reading);
		return { findings: problems.map((problem) => locatedFinding(file, yaml, problem)), metadata, yaml };
	} catch (error) {
		return nothing(findingOf("error", file, toErrorMessage(error)));
	}
}
