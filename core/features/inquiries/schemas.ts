import { arrayOf, defineSchema, jsonObject, jsonValue, object, partOf, real, text } from "../../http/openapi/schema.ts";

/** Wire schema of a pending inquiry. */
export const inquirySchema = defineSchema(
	"Inquiry",
	object({ id: text, route: text, ttl: real, users: arrayOf(text), roles: arrayOf(text), schema: jsonObject }),
	{
		id: "66a1f0c29d3e4b7a51c08d12",
		route: "developers",
		ttl: 1440,
		users: [],
		roles: [],
		schema: { approved: { type: "boolean", required: true } },
	},
);
export const inquiryPart = partOf(inquirySchema);

/** Wire schema of a stored response. If the whole response is secret, the mask replaces it. */
export const inquiryAnswerSchema = defineSchema("InquiryAnswer", object({ id: text, response: jsonValue }), {
	id: "66a1f0c29d3e4b7a51c08d12",
	response: { approved: true },
});
