import { type OutputType, SvcError } from "../../contract/index.ts";
import { assertAllowedValues } from "../../http/filter-values.ts";
import { answerText, answerTooMany } from "../../http/openapi/responses.ts";
import { replyContent } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import { secretsQuery, toRecordVisibility } from "../../http/secret-presentation.ts";
import { toTextStream } from "../../http/sse.ts";
import type { OutputSelection } from "../../kernel/executions/executions-api.ts";
import { findExecutionResource } from "./execution-resource-exports.ts";
import { withActionExecutionsAlias } from "./execution-route-aliases-exports.ts";
import type { RouteEngine } from "./route-engine.ts";

const { defineRoute } = createRouteDeclarations<RouteEngine>();

const outputTypes: readonly string[] = ["stdout", "stderr", "other"] satisfies OutputType[];

/** Returns the requested output type; undefined for all types. Throws `SVC_INVALID` if the type does not exist. */
export function parseOutputType(text: string | undefined): OutputType | undefined {
	const word = text?.toLowerCase();
	if (word === undefined || word === "all") return undefined;
	assertAllowedValues("output_type", [word], [...outputTypes, "all"]);
	return word as OutputType;
}

/** Maximum number of characters of `find`. */
const longestFind = 1_000;

/** Returns the selection of lines. Throws `SVC_INVALID` for numbers below 1, and for a `find` that is too long or has a newline. */
export function toLines({
	from_line: fromLine,
	lines,
	find,
}: {
	readonly from_line: number | undefined;
	readonly lines: number | undefined;
	readonly find: string | undefined;
}): OutputSelection {
	if (fromLine !== undefined && fromLine < 1) throw new SvcError("SVC_INVALID", "from_line: must be at least 1");
	if (lines !== undefined && lines < 1) throw new SvcError("SVC_INVALID", "lines: must be at least 1");
	if (find !== undefined && (find.length > longestFind || find.includes("\n"))) {
		throw new SvcError("SVC_INVALID", `find: must be one line of at most ${longestFind} characters`);
	}
	return { fromLine, lines, find };
}

/** Route that returns the output so far as text. */
export const executionOutputRoutes = withActionExecutionsAlias([
	defineRoute({
		method: "GET",
		path: "/executions/:id/output",
		summary: "Get the output of an execution so far",
		description:
			"`output_type` filters. `from_line` is the number of the first line, `lines` how many there are at most. With `find` only lines that " +
			"have this text, each behind its number and a colon, and cut after 4096 characters. Lines are counted and searched as they are shown.",
		answers: { 200: answerText(["text/plain"], "The output.", "up 12 days\n"), 429: answerTooMany },
		permission: "execution_view",
		resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
		query: { ...secretsQuery, output_type: "string", from_line: "integer", lines: "integer", find: "string" },
		async handler(context) {
			const { engine, path, query } = context;
			const { entity } = await engine.executions.get(path["id"] ?? "", { fields: ["id"] });
			const type = parseOutputType(query.output_type);
			const selection = toLines(query);
			const { masked } = toRecordVisibility(context);
			const { signal, done } = context.openStream();
			const pieces = engine.output.read(entity.id, { ...selection, type, signal, masked });
			return replyContent(toTextStream(pieces, { signal, onEnd: done }), "text/plain; charset=UTF-8");
		},
	}),
]);
