import { isJsonObject, type JsonObject, type JsonValue, type SensorTriggerType, SvcError } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, object, objectList, requiredText, text } from "../../language/file-attributes.ts";
import { toObjectSchema } from "../../language/file-schema.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { checkPack, ownAttributes, type Place, requiredName, withoutNull } from "../packs/pack-files-exports.ts";

/** Minimum of `poll_interval` in seconds. */
export const minInterval = 4;

/** Sensor of a pack, as its file declares it. */
export interface SensorInput {
	/** Name of the class. */
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Seconds between polls; null for a sensor that does not poll. */
	readonly poll_interval: number | null;
	/** Path of the program, relative to the directory `sensors` of the pack. */
	readonly entry_point: string;
	/** Path of the declaring file in the pack. */
	readonly metadata_file: string;
	readonly trigger_types: readonly SensorTriggerType[];
}

/** Attributes of a trigger type in the file of a sensor. */
const typeAttributes: Readonly<Record<string, Attribute>> = {
	name: requiredText,
	pack: text,
	description: text,
	payload_schema: object,
	parameters_schema: object,
	tags: objectList,
};

export const sensorAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	class_name: requiredName,
	entry_point: requiredText,
	name: text,
	pack: text,
	description: text,
	enabled: flag,
	poll_interval: {
		description: `a whole number of seconds, at least ${minInterval}`,
		accepts: (value) => Number.isInteger(value) && Number(value) >= minInterval,
		schema: { type: "integer", minimum: minInterval },
	},
	trigger_types: {
		description: "a list of objects with a name",
		accepts: (value) => Array.isArray(value) && value.every((type) => isJsonObject(type) && typeof type["name"] === "string"),
		schema: { type: "array", items: toObjectSchema(typeAttributes, true) },
	},
	artifact_uri: text,
};

/** Parses the file of a sensor. Throws `SVC_INVALID` with the attribute and its allowed values. Checks only the file itself. */
export function toSensorInput(metadata: JsonObject, { pack, file }: Place): SensorInput {
	checkAttributes(metadata, sensorAttributes, true);
	checkPack(metadata, pack);
	const { class_name, description, enabled, poll_interval, entry_point, trigger_types } = metadata;
	return {
		name: String(class_name),
		pack,
		description: String(description ?? ""),
		enabled: enabled !== false,
		poll_interval: typeof poll_interval === "number" ? poll_interval : null,
		entry_point: String(entry_point),
		metadata_file: file,
		trigger_types: toTypes(trigger_types ?? [], pack),
	};
}

function toTypes(given: JsonValue, pack: string): readonly SensorTriggerType[] {
	const names = new Set<string>();
	return (given as readonly JsonObject[]).map((type, index) => {
		const place = `attribute "trigger_types", entry ${index + 1}`;
		try {
			checkAttributes(type, typeAttributes, true);
			checkPack(type, pack);
		} catch (error) {
			throw new SvcError("SVC_INVALID", `${place}: ${(error as Error).message}`, { cause: error });
		}
		const { name, description, payload_schema, parameters_schema } = withoutNull(type) as unknown as SensorTriggerType;
		if (names.has(name)) throw new SvcError("SVC_INVALID", `${place}: attribute "name" must be unique in the sensor; got "${name}" twice`);
		names.add(name);
		return { name, ...withoutUndefined({ description, payload_schema, parameters_schema }) };
	});
}
