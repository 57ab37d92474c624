import { type JsonObject, type PackFinding, type ParameterDefinitions, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { Dialects } from "../../../language/dialects.ts";
import { findDefaultProblems } from "../../../language/parameters/check-defaults.ts";
import { checkParameterDefinitions } from "../../../language/parameters/check-definitions.ts";
import { checkConfigValues } from "../configs/check-values.ts";
import { locatedFinding } from "./findings.ts";
import { inspectFile } from "./inspect-file.ts";
import type { FoldersOfPack } from "./inspect-folders.ts";
import { toMessagePlace } from "./message-path.ts";

const schemaFile = "config.schema.yaml";

type ConfigOfPack = Pick<FoldersOfPack, "pack" | "directory" | "files" | "dialects">;

/**
 * Returns the errors in the schema of the pack's configuration, and in the example configuration. The example is only inspected if the
 * schema can be read.
 */
export async function inspectConfig({ pack, directory, files, dialects }: ConfigOfPack): Promise<readonly PackFinding[]> {
	const example = `${pack}.yaml.example`;
	let schema: JsonObject = {};
	const findings: PackFinding[] = [];
	if (files.includes(schemaFile)) {
		const inspected = await inspectFile(
			{ directory, file: schemaFile, dialects },
			{ kind: "config_schema", read: (content) => checkParameterDefinitions(content), standIns: {}, parametersAt: [], mayBeEmpty: true },
		);
		findings.push(...inspected.findings);
		if (inspected.findings.length > 0) return findings;
		schema = inspected.metadata ?? {};
		for (const message of findDefaultProblems(schema as ParameterDefinitions)) {
			const place = toMessagePlace(message, schema, []);
			if (inspected.yaml !== undefined && place !== undefined) findings.push(locatedFinding(schemaFile, inspected.yaml, place));
		}
	}
	if (!files.includes(example)) return findings;
	const read = (values: JsonObject) => checkExample(pack, values, schema as ParameterDefinitions);
	const inspected = await inspectFile(
		{ directory, file: example, dialects: Dialects.none },
		{ kind: "config_schema", read, standIns: {}, parametersAt: [], mayBeEmpty: true },
	);
	return [...findings, ...inspected.findings];
}

/** Checks the example. Removes the name of the pack from the message, because the finding already contains the file. */
function checkExample(pack: string, values: JsonObject, schema: ParameterDefinitions): void {
	try {
		checkConfigValues(pack, values, schema);
	} catch (error) {
		throw new SvcError("SVC_INVALID", toErrorMessage(error).replace(`configuration of pack "${pack}": `, ""), { cause: error });
	}
}
