import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	type JsonSchema,
	jsonObject,
	jsonValue,
	mapOf,
	numberSchema,
	objectSchema,
	stringSchema,
} from "./schema-builders.ts";

const self: JsonSchema = { $ref: "#/components/schemas/ParameterDefinition" };
const selfOr = (schema: JsonSchema): JsonSchema => ({ anyOf: [self, schema] });

const members = {
	...{ title: stringSchema, description: stringSchema, id: stringSchema, $schema: stringSchema },
	type: enumOf("string", "number", "integer", "boolean", "array", "object", "null"),
	...{
		required: booleanSchema,
		immutable: booleanSchema,
		secret: booleanSchema,
		position: numberSchema,
		default: jsonValue,
		enum: arrayOf(jsonValue),
	},
	...{ reserved: booleanSchema, opensReserved: booleanSchema, reservedBy: objectSchema({ parameter: stringSchema, schema: self }) },
	...{
		minimum: numberSchema,
		maximum: numberSchema,
		multipleOf: numberSchema,
		minLength: numberSchema,
		maxLength: numberSchema,
		pattern: stringSchema,
		format: stringSchema,
	},
	...{ exclusiveMinimum: { type: ["number", "boolean"] }, exclusiveMaximum: { type: ["number", "boolean"] } },
	...{
		minItems: numberSchema,
		maxItems: numberSchema,
		uniqueItems: booleanSchema,
		minProperties: numberSchema,
		maxProperties: numberSchema,
	},
	...{ items: selfOr(arrayOf(self)), additionalItems: selfOr(booleanSchema), additionalProperties: selfOr(booleanSchema) },
	...{ properties: mapOf(self), patternProperties: mapOf(self), dependencies: jsonObject, definitions: jsonObject },
	...{ allOf: arrayOf(self), anyOf: arrayOf(self), oneOf: arrayOf(self), not: self },
};

/** Schema of a parameter definition: a JSON schema of the value, and the service's own keywords (`ParameterDefinition` of the contract). */
const parameterDefinition = defineSchema("ParameterDefinition", {
	description: "JSON schema of a value, with the attributes required, immutable and secret.",
	...objectSchema(members, Object.keys(members)),
});

/** Schema of parameter definitions by parameter name. */
export const actionParameterSchema = defineSchema(
	"ParameterSchema",
	{ description: "Parameter definitions by name.", ...mapOf(parameterDefinition) },
	{ cmd: { type: "string", required: true } },
);
