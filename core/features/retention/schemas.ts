import { defineSchema, mapOf, nullable, object, text, whole } from "../../http/openapi/schema.ts";

/** What a removal of old records has removed. */
export const purgeSchema = defineSchema("Purge", object({ removed: mapOf(whole), next: nullable(text) }), {
	removed: { execution: 12, output_chunk: 80 },
	next: null,
});
