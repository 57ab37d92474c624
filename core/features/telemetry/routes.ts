import { SvcError } from "../../contract/index.ts";
import { answerFault, answerText } from "../../http/openapi/responses.ts";
import { replyContent } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Engine } from "../../kernel/engine-api.ts";

const { defineRoute } = createRouteDeclarations<Pick<Engine, "telemetry">>();

/** Route for metrics scrapers. Each node reports its own metrics. */
export const telemetryRoutes = [
	defineRoute({
		method: "GET",
		path: "/metrics",
		summary: "Get the metrics of this node",
		answers: {
			200: answerText(["text/plain"], "Metrics in the text format of Prometheus.", "svc_executions_held 2\n"),
			404: answerFault("Nothing is measured."),
		},
		permission: "metrics_view",
		isForMonitoring: true,
		async handler({ engine }) {
			const exposition = await engine.telemetry.expose();
			if (exposition === undefined) {
				throw new SvcError("SVC_NOT_FOUND", "metrics are disabled; hint: telemetry: [prometheusMetrics()]");
			}
			return replyContent(exposition.text, exposition.contentType);
		},
	}),
];
