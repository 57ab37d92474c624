import { answerFault, answerJson, retryHeader } from "../../http/openapi/responses.ts";
import { booleanSchema, objectSchema } from "../../http/openapi/schema-builders.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { UnreadyReason } from "../../kernel/nodes/nodes-api.ts";
import { readySchema, unreadySchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<Engine, "readiness">>();

/** Seconds after which a client should retry. */
const retryAfter = "1";

/** Routes for load balancers and process supervisors, on every listener. They need no authentication. */
export const healthRoutes = (["auth", "api", "stream"] as const).flatMap((component) => [
	defineRoute({
		method: "GET",
		path: "/health/live",
		component,
		summary: "Get the liveness of the process",
		description: "If this request fails, restart the process.",
		answers: { 200: answerJson(objectSchema({ live: booleanSchema }), { example: { live: true } }) },
		permission: "public",
		isAlwaysOpen: true,
		handler: () => replyJson({ live: true }),
	}),
	defineRoute({
		method: "GET",
		path: "/health/ready",
		component,
		summary: "Get the readiness of the node",
		answers: {
			200: answerJson(readySchema),
			500: answerFault("The readiness is unknown; the log contains the reason."),
			503: answerJson(unreadySchema, { description: "The node is not ready.", headers: retryHeader }),
		},
		permission: "public",
		isAlwaysOpen: true,
		async handler({ engine, isStarting }) {
			const { reasons, warnings } = await engine.readiness();
			const told = warnings.length === 0 ? {} : { warnings };
			const all: readonly UnreadyReason[] = isStarting() && reasons.length === 0 ? ["starting"] : reasons;
			if (all.length === 0) return replyJson({ ready: true, ...told });
			const body = { ready: false, reasons: all, ...told, faultstring: `not ready: ${all.join(", ")}` };
			return replyJson(body, 503, { "retry-after": retryAfter });
		},
	}),
]);
