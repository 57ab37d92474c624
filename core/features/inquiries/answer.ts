import { type JsonObject, SvcError, toErrorMessage } from "../../contract/index.ts";
import { toAnswerDefinition } from "../../language/inquiry-schema.ts";
import { assertDepth } from "../../language/parameters/depth.ts";
import { withNestedDefaults } from "../../language/parameters/nested-defaults.ts";
import { validateParameter } from "../../language/parameters/validate.ts";
import type { Inquiry } from "./inquiries-api.ts";

/** The answer with the defaults of the schema. `SVC_INVALID` when the schema refuses it. */
export function checkAnswer(inquiry: Inquiry, response: JsonObject): JsonObject {
	const definition = toAnswerDefinition(inquiry.schema);
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
