import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { definitionShape, type Shape } from "./shape.ts";

/** JSON schema of definition files, for editors; definitions are validated against the same shape. */
export const workflowFileSchema = toFileSchema("Workflow", definitionShape);

/** Returns the JSON schema of files of a shape. */
export function toFileSchema(title: string, shape: Shape): JsonObject {
	return { $schema: "http://json-schema.org/draft-07/schema#", title, ...toSchema(shape) };
}

function toSchema({ named, properties, additionalProperties, items, oneOf, pattern, shorthand, ...others }: Shape): JsonObject {
	const members = Object.entries(properties ?? {}).map(([name, shape]): [string, JsonValue] => [name, toSchema(shape)]);
	const schema: JsonObject = {
		...(others as JsonObject),
		...(pattern !== undefined && { pattern: pattern.source }),
		...(properties !== undefined && { properties: Object.fromEntries(members) }),
		...(named !== undefined && { patternProperties: { [named.pattern.source]: toSchema(named.shape) } }),
		...(additionalProperties !== undefined && { additionalProperties }),
		...(items !== undefined && { items: toSchema(items) }),
		...(oneOf !== undefined && { oneOf: oneOf.map(toSchema) }),
	};
	return shorthand === undefined ? schema : { oneOf: [toSchema(shorthand), schema] };
}
