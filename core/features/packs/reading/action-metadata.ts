import { type ActionEntity, isJsonObject, type JsonObject, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { type Attribute, checkAttributes, flag, list, object, requiredText, text } from "../../../language/file-attributes.ts";
import { parameterDefinitions, toObjectSchema } from "../../../language/file-schema.ts";
import { checkParameterDefinitions } from "../../../language/parameters/check-definitions.ts";
import { checkOutputSchema } from "../../../language/parameters/check-schema.ts";
import { checkPack, ownAttributes, requiredName } from "../pack-files-exports.ts";

const notifySections: readonly string[] = ["on-complete", "on-success", "on-failure"];
const notifyAttributes: Readonly<Record<string, Attribute>> = {
	message: text,
	data: object,
	routes: list,
	channels: list,
};

/** Attribute `notify`. Old files name the sections with underscores, which the schema allows. */
const notify: Attribute = {
	...object,
	schema: {
		type: "object",
		patternProperties: { "^on[-_](complete|success|failure)$": toObjectSchema(notifyAttributes, true) },
		additionalProperties: false,
	},
};

/** Attributes that the metadata of an action may have. */
export const actionAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredName,
	runner_type: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	entry_point: text,
	parameters: { ...object, schema: parameterDefinitions },
	output_schema: object,
	tags: {
		description: "a list of objects with name and value",
		accepts: (value) => Array.isArray(value) && value.every((tag) => isJsonObject(tag) && typeof tag["name"] === "string"),
		schema: { type: "array", items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
	},
	notify,
};

/**
 * Returns the action that a metadata file describes. Checks only the file itself, not the runner type or the entry point. Throws
 * `SVC_INVALID`, which names the attribute and the allowed values.
 */
export function toAction(metadata: JsonObject, { pack, file }: { readonly pack: string; readonly file: string }): Omit<ActionEntity, "id"> {
	checkAttributes(metadata, actionAttributes, true);
	const { name, runner_type, description, enabled, entry_point, parameters, output_schema, tags, notify } = metadata;
	checkPack(metadata, pack);
	checkNotify((notify ?? {}) as JsonObject);
	checkOutputSchema((output_schema ?? {}) as JsonObject, "output_schema");
	return {
		ref: `${pack}.${String(name)}`,
		pack,
		name: String(name),
		description: String(description ?? ""),
		runner_type: String(runner_type),
		entry_point: String(entry_point ?? ""),
		enabled: enabled !== false,
		metadata_file: file,
		parameters: checkParameterDefinitions(parameters ?? {}),
		output_schema: (output_schema ?? {}) as JsonObject,
		tags: (tags ?? []) as readonly JsonObject[],
		notify: (notify ?? {}) as JsonObject,
		content: null,
	};
}

function checkNotify(notify: JsonObject): void {
	for (const [section, value] of Object.entries(notify)) {
		if (!notifySections.includes(section.replaceAll("_", "-")) || !isJsonObject(value)) {
			throw new SvcError("SVC_INVALID", `attribute "notify" must have objects under ${notifySections.join(", ")}`);
		}
		checkSection(section, value);
	}
}

function checkSection(section: string, value: JsonObject): void {
	try {
		checkAttributes(value, notifyAttributes, true);
	} catch (error) {
		throw new SvcError("SVC_INVALID", `notify.${section}: ${toErrorMessage(error)}`, { cause: error });
	}
}
