import { isSvcError, type JsonObject, type ParameterDefinition, SvcError } from "../../contract/index.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { validateParameter } from "../../language/parameters/validate.ts";

/** By schema: validators are kept for definitions, so that one made anew for each value would be printed each time to find it. */
const definitions = new WeakMap<JsonObject, ParameterDefinition>();

/**
 * Refuse what a trigger type's schema does not allow. `SVC_INVALID` names the member, as a path that begins with `field`. A
 * schema that says nothing allows everything.
 */
export function checkAgainst(schema: JsonObject, value: JsonObject, field: string): void {
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
	const known = definitions.get(schema);
	if (known !== undefined) return known;
	const definition = { type: "object", ...schema } as ParameterDefinition;
	definitions.set(schema, definition);
	return definition;
}
