import { arrayOf, defineSchema, flag, type JsonSchema, jsonObject, jsonValue, mapOf, object, oneOf, real, text } from "./schema.ts";

const self: JsonSchema = { $ref: "#/components/schemas/ParameterDefinition" };
const selfOr = (schema: JsonSchema): JsonSchema => ({ anyOf: [self, schema] });

const members = {
	...{ title: text, description: text, id: text, $schema: text },
	type: oneOf("string", "number", "integer", "boolean", "array", "object", "null"),
	...{ required: flag, immutable: flag, secret: flag, position: real, default: jsonValue, enum: arrayOf(jsonValue) },
	...{ reserved: flag, opensReserved: flag, reservedBy: object({ parameter: text, schema: self }) },
	...{ minimum: real, maximum: real, multipleOf: real, minLength: real, maxLength: real, pattern: text, format: text },
	...{ exclusiveMinimum: { type: ["number", "boolean"] }, exclusiveMaximum: { type: ["number", "boolean"] } },
	...{ minItems: real, maxItems: real, uniqueItems: flag, minProperties: real, maxProperties: real },
	...{ items: selfOr(arrayOf(self)), additionalItems: selfOr(flag), additionalProperties: selfOr(flag) },
	...{ properties: mapOf(self), patternProperties: mapOf(self), dependencies: jsonObject, definitions: jsonObject },
	...{ allOf: arrayOf(self), anyOf: arrayOf(self), oneOf: arrayOf(self), not: self },
};

/** Schema of a parameter definition: a JSON schema of the value, and the service's own keywords (`ParameterDefinition` of the contract). */
const parameterDefinition = defineSchema("ParameterDefinition", {
	description: "A JSON schema of a value, and whether it is required, immutable, secret.",
	...object(members, Object.keys(members)),
});

/** Schema of parameter definitions by parameter name. */
export const parameterSchema = defineSchema(
	"ParameterSchema",
	{ description: "Definitions of parameters, by name.", ...mapOf(parameterDefinition) },
	{ cmd: { type: "string", required: true } },
);
