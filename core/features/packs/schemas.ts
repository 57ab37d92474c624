import { parameterSchema } from "../../http/openapi/parameter-schema.ts";
import { defineSchema, jsonObject, object, text } from "../../http/openapi/schema.ts";

/** The configuration of a pack on the wire. */
export const configSchema = defineSchema("PackConfig", object({ id: text, pack: text, values: jsonObject }), {
	id: "66a1e0019d3e4b7a51c00090",
	pack: "disk",
	values: { limit: 90 },
});

/** What the configuration of a pack may hold, on the wire. */
export const configSchemaSchema = defineSchema("PackConfigSchema", object({ id: text, pack: text, attributes: parameterSchema }), {
	id: "66a1e0019d3e4b7a51c00090",
	pack: "disk",
	attributes: { limit: { type: "integer", default: 90 } },
});
