import { type ExecutionEntity, isJsonObject, type JsonObject, type ParameterDefinition } from "../contract/index.ts";
import { checkJsonSchema } from "./parameters/check-schema.ts";
import { maskBySchema } from "./parameters/schema-masking.ts";

/** Name of the runner type whose executions end as a question that waits for somebody's answer. */
export const askingRunner = "inquirer";

/** The schema of the answer, as the result of a pending execution says it. Empty: anything. */
export function readAnswerSchema(result: ExecutionEntity["result"]): JsonObject {
	const schema = result?.["schema"];
	return isJsonObject(schema) ? schema : {};
}

/** The same as a definition of the parameter dialect. */
export function toAnswerDefinition(schema: JsonObject): ParameterDefinition {
	return { type: "object", ...schema } as ParameterDefinition;
}

/** Refuse the result of a pending run whose question nobody could answer, because its schema is none. */
export function assertAnswerable(result: JsonObject): void {
	checkJsonSchema(readAnswerSchema(result), "schema");
}

/** The result of an answered question with the secrets of its answer masked, as the schema says. The same object when none is. */
export function maskAnswer(result: JsonObject): JsonObject {
	if (!Object.hasOwn(result, "response")) return result;
	return maskBySchema(result, { response: toAnswerDefinition(readAnswerSchema(result)) });
}
