import type { OutputType } from "../../contract/index.ts";
import { answerText, answerTooMany } from "../../http/openapi/answers.ts";
import { secretsQuery, toPresentation } from "../../http/present.ts";
import { replyContent } from "../../http/respond.ts";
import { routesOver } from "../../http/route.ts";
import { toTextStream } from "../../http/sse.ts";
import { withActionExecutions } from "./action-executions-api.ts";
import { findExecutionResource } from "./execution-resource-api.ts";
import type { RouteNeeds } from "./route-needs.ts";

const { defineRoute } = routesOver<RouteNeeds>();

const outputTypes: readonly string[] = ["stdout", "stderr", "other"] satisfies OutputType[];

/** Which output is asked for: one type, all of it (undefined), or a type that does not exist. */
export function parseOutputType(text: string | undefined): OutputType | "unknown" | undefined {
	const word = text?.toLowerCase();
	if (word === undefined || word === "all") return undefined;
	return outputTypes.includes(word) ? (word as OutputType) : "unknown";
}

/** Output so far, as text. */
export const executionOutputRoutes = withActionExecutions([
	defineRoute({
		method: "GET",
		path: "/executions/:id/output",
		component: "api",
		summary: "Get the output of an execution so far",
		description: "`output_type` filters.",
		answers: { 200: answerText(["text/plain"], "The output.", "up 12 days\n"), 429: answerTooMany },
		permission: "execution_view",
		resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
		query: { ...secretsQuery, output_type: "string" },
		async handler(context) {
			const { engine, path, query } = context;
			const { entity } = await engine.executions.get(path["id"] ?? "", { fields: ["id"] });
			const type = parseOutputType(query.output_type);
			if (type === "unknown") return replyContent("", "text/plain; charset=UTF-8");
			const { masked } = toPresentation(context);
			const { signal, done } = context.openStream();
			const pieces = engine.output.read(entity.id, { ...(type !== undefined && { type }), signal, masked });
			return replyContent(toTextStream(pieces, { signal, onEnd: done }), "text/plain; charset=UTF-8");
		},
	}),
]);
