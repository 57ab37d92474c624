import { parameterSchema } from "../../http/openapi/action-parameter-schema.ts";
import { defineSchema, jsonObject, mapOf, object, text, whole } from "../../http/openapi/schema.ts";

/** Wire schema of the configuration of a pack. */
export const configSchema = defineSchema("PackConfig", object({ id: text, pack: text, values: jsonObject }), {
	id: "66a1e0019d3e4b7a51c00090",
	pack: "disk",
	values: { limit: 90 },
});

/** Wire schema of the configuration schema of a pack. */
export const configSchemaSchema = defineSchema("PackConfigSchema", object({ id: text, pack: text, attributes: parameterSchema }), {
	id: "66a1e0019d3e4b7a51c00090",
	pack: "disk",
	attributes: { limit: { type: "integer", default: 90 } },
});

/** Wire schema of the counts of registered records. It has members only for requested kinds. */
export const registerCountsSchema = defineSchema("RegisterCounts", mapOf(whole), { runners: 13, actions: 21, "actions(overridden)": 1 });
