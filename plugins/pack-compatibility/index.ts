import { fileURLToPath } from "node:url";
import { type DialectKind, defineDialect, isJsonObject, type JsonObject, type JsonValue } from "../../core/contract/index.ts";
import { withDefinitionFlags, withFlags } from "./flags.ts";
import { environment, names, runnerTypes, triggerTypes } from "./names.ts";
import { closeGaps } from "./positions.ts";
import { resolveReferences } from "./references.ts";

export interface PackCompatibilityOptions {
	/** Whether packs find the Python modules that they import of the platform. Default true. */
	readonly python?: boolean;
}

/** What packs of the public platform say that this service is compatible with, so that they run as they are. */
export const packCompatibility = defineDialect("pack-compatibility", ({ python = true }: PackCompatibilityOptions) => ({
	description: "What packs of StackStorm say.",
	runnerTypes,
	triggerTypes,
	names,
	environment,
	// Beside this file in the source and in the build.
	...(python && { pythonPath: fileURLToPath(new URL("./python", import.meta.url)) }),
	normalize,
}));

function normalize(kind: DialectKind, metadata: JsonObject): JsonObject {
	if (kind === "config_schema") return withDefinitionFlags(resolveReferences(metadata));
	const flagged = withFlags(metadata, ["enabled"]);
	if (kind === "sensor") return withoutNotes(flagged);
	const { parameters } = metadata;
	if (kind !== "action") return flagged;
	return isJsonObject(parameters) ? { ...flagged, parameters: closeGaps(withDefinitionFlags(parameters)) } : flagged;
}

/** Old files of sensors describe payloads in words beside, or in the place of, their schema. */
function withoutNotes(sensor: JsonObject): JsonObject {
	const { trigger_types } = sensor;
	if (!Array.isArray(trigger_types)) return sensor;
	const types = (trigger_types as readonly JsonValue[]).map((type) => {
		if (!isJsonObject(type)) return type;
		const { payload_info: _notes, ...known } = type;
		return known;
	});
	return { ...sensor, trigger_types: types };
}
