import { defineSchema, mapOf, nullable, object, text, whole } from "../../http/openapi/schema.ts";

/** Result of a removal of old records, in a response. */
export const purgeSchema = defineSchema("Purge", object({ removed: mapOf(whole), next: nullable(text) }), {
	removed: { execution: 12, output_chunk: 80 },
	next: null,
});
