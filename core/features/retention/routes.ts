import { defineBody } from "../../http/body.ts";
import { answerJson } from "../../http/openapi/responses.ts";
import { defineSchema, integerSchema, mapOf, nullable, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import { parseTimestamp } from "../../http/timestamp.ts";
import type { RetentionApi } from "./api.ts";
import type { PurgeInput } from "./retention-exports.ts";

/** Result of a removal of old records, in a response. */
const purgeSchema = defineSchema("Purge", objectSchema({ removed: mapOf(integerSchema), next: nullable(stringSchema) }), {
	removed: { execution: 12, output_chunk: 80 },
	next: null,
});

const { defineRoute } = createRouteDeclarations<RetentionApi>();

const purgeBody = defineBody<PurgeInput>({
	properties: {
		timestamp: { type: "string" },
		action_ref: { type: "string", minLength: 1 },
		purge_incomplete: { type: "boolean" },
		dry_run: { type: "boolean" },
		from: { type: "string" },
	},
	required: ["timestamp"],
	closed: true,
});

/** Routes by which an administrator removes old records. */
export const purgeRoutes = [
	defineRoute({
		method: "POST",
		path: "/purge/:records",
		summary: "Purge old records of a kind",
		description: "For administrators. Works for about one second; if `next` is not null, repeat the request with it.",
		answers: { 200: answerJson(purgeSchema) },
		permission: "admin",
		body: purgeBody,
		async handler({ engine, path, body, principal }) {
			const input = { ...body, timestamp: parseTimestamp("timestamp", body.timestamp) };
			return replyJson(await engine.retention.purge(path["records"] ?? "", input, principal));
		},
	}),
];
