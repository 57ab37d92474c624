import { actionParameterSchema } from "../../http/openapi/action-parameter-schema.ts";
import { defineSchema, enumOf, integerSchema, jsonObject, mapOf, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";

/** Wire schema of the state of a pack in git that the service follows. */
export const followedState = enumOf("installing", "installed", "failed", "unreachable");

export const configSchema = defineSchema("PackConfig", objectSchema({ id: stringSchema, pack: stringSchema, values: jsonObject }), {
	id: "66a1e0019d3e4b7a51c00090",
	pack: "disk",
	values: { limit: 90 },
});

export const configSchemaSchema = defineSchema(
	"PackConfigSchema",
	objectSchema({ id: stringSchema, pack: stringSchema, attributes: actionParameterSchema }),
	{
		id: "66a1e0019d3e4b7a51c00090",
		pack: "disk",
		attributes: { limit: { type: "integer", default: 90 } },
	},
);

/** Wire schema of the counts of registered records. It has members only for requested kinds. */
export const registerCountsSchema = defineSchema("RegisterCounts", mapOf(integerSchema), {
	runners: 13,
	actions: 21,
	"actions(overridden)": 1,
});
