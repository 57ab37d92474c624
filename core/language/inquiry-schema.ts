import { type ExecutionEntity, isJsonObject, type JsonObject, type ParameterDefinition } from "../contract/index.ts";
import { checkJsonSchema } from "./parameters/check-schema.ts";
import { maskBySchema } from "./parameters/schema-masking.ts";

/** Name of the runner type whose executions wait for a user to answer a question. */
export const inquiryRunnerType = "inquirer";

/**
 * Returns the schema of the answer from the result of a pending execution. Returns an empty schema, which allows any answer, if the result
 * has none.
 */
export function readAnswerSchema(result: ExecutionEntity["result"]): JsonObject {
	const schema = result?.["schema"];
	return isJsonObject(schema) ? schema : {};
}

/** Returns the schema of an answer as a parameter definition. */
export function toAnswerDefinition(schema: JsonObject): ParameterDefinition {
	return { type: "object", ...schema } as ParameterDefinition;
}

/** Refuses the result of a pending run if its answer schema is not valid, because no answer could be checked. Throws `SVC_INVALID`. */
export function assertAnswerable(result: JsonObject): void {
	checkJsonSchema(readAnswerSchema(result), "schema");
}

/** Returns the result of an answered question with the secrets of the answer masked. Returns the same object if nothing is secret. */
export function maskAnswer(result: JsonObject): JsonObject {
	if (!Object.hasOwn(result, "response")) return result;
	return maskBySchema(result, { response: toAnswerDefinition(readAnswerSchema(result)) });
}
