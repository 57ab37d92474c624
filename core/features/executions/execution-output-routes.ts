import { type OutputType, SvcError } from "../../contract/index.ts";
import { assertAllowedValues } from "../../http/filter-values.ts";
import { answerJson, answerText, answerTooMany } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	integerSchema,
	nullable,
	objectSchema,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";
import { secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { replyContent, replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import { toTextStream } from "../../http/sse.ts";
import type { LinesSelection, OutputSelection } from "../../kernel/executions/executions-api.ts";
import { findExecutionResource } from "./execution-resource-exports.ts";
import { withActionExecutionsAlias } from "./execution-route-aliases-exports.ts";
import type { ExecutionRouteServices } from "./route-services.ts";

const { defineRoute } = createRouteDeclarations<ExecutionRouteServices>();

const outputTypes: readonly string[] = ["stdout", "stderr", "other"] satisfies OutputType[];

/** Returns the requested output type; undefined for all types. Throws `SVC_INVALID` if the type does not exist. */
export function parseOutputType(text: string | undefined): OutputType | undefined {
	const word = text?.toLowerCase();
	if (word === undefined || word === "all") return undefined;
	assertAllowedValues("output_type", [word], [...outputTypes, "all"]);
	return word as OutputType;
}

const maxFindLength = 1_000;

/** Returns the selection of lines. Throws `SVC_INVALID` for numbers below 1, and for a `find` that is too long or has a newline. */
function toLines({
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
	if (find !== undefined && (find.length > maxFindLength || find.includes("\n"))) {
		throw new SvcError("SVC_INVALID", `find: must be a single line of at most ${maxFindLength} characters`);
	}
	return { fromLine, lines, find };
}

const defaultLines = 100;
const maxLines = 1_000;

const lineSchema = objectSchema({
	line: integerSchema,
	output_type: enumOf("stdout", "stderr", "other"),
	timestamp,
	text: stringSchema,
	length: integerSchema,
});
const linesFields = {
	total: integerSchema,
	next_line: nullable(integerSchema),
	event_id: nullable(stringSchema),
	last_line_open: booleanSchema,
	lines: arrayOf(lineSchema),
};
const linesSchema = defineSchema("OutputLines", objectSchema(linesFields), {
	total: 1,
	next_line: null,
	event_id: "1",
	last_line_open: false,
	lines: [{ line: 1, output_type: "stdout", timestamp: "2031-03-04T09:15:02.901112Z", text: "up 12 days", length: 10 }],
});

export const executionOutputRoutes = withActionExecutionsAlias([
	defineRoute({
		method: "GET",
		path: "/executions/:id/output",
		summary: "Get the current output of an execution",
		description:
			"`output_type` filters by type. `from_line`: number of the first line; `lines`: maximum number of lines. With `find`, only lines that " +
			"contain this text, each after its number and a colon, truncated after 4096 characters. Lines are counted and searched as shown.",
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
	defineRoute({
		method: "GET",
		path: "/executions/:id/output/lines",
		summary: "Get lines of the current output of an execution with number, type and time",
		description:
			"`total`: number of lines. `lines`: at most 1000 lines (default 100) starting at `from_line`, each truncated after 4096 characters, with its full `length`. " +
			"`find` selects lines that contain this text; `trouble=true` selects lines of stderr and lines with a word such as `error`; not both. " +
			"`next_line`: where to continue; null at the end. With `output_type`, only lines of that type are counted. If the output was read to its " +
			"end, `event_id` is the event after which the output stream continues, and `last_line_open` is true if the last line continues there.",
		answers: { 200: answerJson(linesSchema), 429: answerTooMany },
		permission: "execution_view",
		resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
		query: { ...secretsQuery, output_type: "string", from_line: "integer", lines: "integer", find: "string", trouble: "boolean" },
		async handler(context) {
			const { engine, path, query } = context;
			const type = parseOutputType(query.output_type);
			if (query.trouble === true && query.find !== undefined)
				throw new SvcError("SVC_INVALID", "trouble: cannot be used together with find");
			const { fromLine, lines = defaultLines, find } = toLines(query);
			if (lines > maxLines) throw new SvcError("SVC_INVALID", `lines: must be at most ${maxLines}`);
			const { entity } = await engine.executions.get(path["id"] ?? "", { fields: ["id"] });
			const { masked } = toRecordVisibility(context);
			const { signal, done } = context.openStream();
			try {
				const selection: LinesSelection = { type, fromLine, lines, find, isErrorsOnly: query.trouble, masked, signal };
				const found = await engine.output.lines(entity.id, selection);
				return replyJson({
					total: found.total,
					next_line: found.nextLine ?? null,
					event_id: found.end === undefined ? null : String(found.end.sequence),
					last_line_open: found.end?.isLineOpen ?? false,
					lines: found.lines,
				});
			} finally {
				done();
			}
		},
	}),
]);
