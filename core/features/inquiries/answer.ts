import { type JsonObject, SvcError, toErrorMessage } from "../../contract/index.ts";
import { maskBySchema } from "../../kernel/secrets/mask.ts";
import { checkJsonSchema } from "../../language/parameters/check-schema.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { withNestedDefaults } from "../../language/parameters/nested-defaults.ts";
import { validateParameter } from "../../language/parameters/validate.ts";
import type { Inquiry } from "./inquiries-api.ts";
import { toAnswerDefinition, toInquiry } from "./inquiry.ts";

/** The answer with the defaults of the schema. `SVC_INVALID` when the schema refuses it. */
export function checkAnswer(inquiry: Inquiry, response: JsonObject): JsonObject {
	const definition = toAnswerDefinition(inquiry);
	try {
		assertDepth("response", response);
		const whole = withNestedDefaults(response, definition) as JsonObject;
		validateParameter("response", whole, definition);
		return whole;
	} catch (error) {
		const reason = toErrorMessage(error).replace(/^parameter "([^"]*)"/, "$1:");
		throw new SvcError("SVC_INVALID", `Response for inquiry "${inquiry.id}" did not pass schema validation. ${reason}`, { cause: error });
	}
}

/** Refuse the result of a pending run whose question nobody could answer, because its schema is none. */
export function assertAnswerable(id: string, result: JsonObject): void {
	checkJsonSchema(toInquiry({ id, result }).schema, "schema");
}

/** The result of an inquiry with the secrets of its answer masked, as the schema of the answer says. The same object when none is. */
export function maskAnswer(result: JsonObject): JsonObject {
	return Object.hasOwn(result, "response") ? maskBySchema(result, { response: toAnswerDefinition(toInquiry({ id: "", result })) }) : result;
}
