import { isSvcError, type JsonObject, type ParameterDefinition, SvcError } from "../../contract/index.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { validateParameter } from "../../language/parameters/validate.ts";

/**
 * Parameter definitions by schema. Validators are cached by definition object; with a new object each time, each validation would serialize
 * the definition.
 */
const definitions = new WeakMap<JsonObject, ParameterDefinition>();

/**
 * Throws `SVC_INVALID` if a value does not match the schema of a trigger type. The message names the member, as a path that begins with
 * `field`. An empty schema allows every value.
 */
export function assertMatchesSchema(schema: JsonObject, value: JsonObject, field: string): void {
	try {
		assertDepth(field, value);
		if (Object.keys(schema).length === 0) return;
		validateParameter(field, value, toDefinition(schema));
	} catch (error) {
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		throw new SvcError("SVC_INVALID", error.message.replace(/^parameter "([^"]*)"/, "$1:"), { cause: error });
	}
}

function toDefinition(schema: JsonObject): ParameterDefinition {
	const cached = definitions.get(schema);
	if (cached !== undefined) return cached;
	const definition = { type: "object", ...schema } as ParameterDefinition;
	definitions.set(schema, definition);
	return definition;
}
