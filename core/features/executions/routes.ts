import { type ExecutionStatus, type JsonObject, maxLargeNumbers, parseJson, SvcError } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { decodeHeader } from "../../http/decode-header.ts";
import { isSelected, selectionQuery } from "../../http/field-selection.ts";
import {
	answerConflictBecause,
	answerFault,
	answerJson,
	answerSelected,
	answerSelectedPage,
	answerTooMany,
	faultSchema,
} from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { replyFault, replyJson } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import { toWarningHeaders } from "../../http/warnings.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "../../kernel/executions/executions-api.ts";
import { executionFilterQuery, parseExecutionFilter } from "./execution-filter.ts";
import { findExecutionResource } from "./execution-resource-exports.ts";
import { withActionExecutionsAlias } from "./execution-route-aliases-exports.ts";
import { type ExecutionSelection, parseExecutionSelection } from "./execution-selection.ts";
import { executionStatuses } from "./execution-statuses-exports.ts";
import { presentExecution, presentExecutions } from "./present-executions.ts";
import type { ExecutionRouteServices } from "./route-services.ts";
import { executionPart, executionSchema } from "./schemas-exports.ts";

const { defineRoute } = createRouteDeclarations<ExecutionRouteServices>();

const defaultLimit = 100;
const maxResultSize = 14 * 1024 * 1024;

interface CreateBody {
	readonly action: string;
	readonly parameters?: JsonObject;
	readonly user?: string | null;
	readonly context?: JsonObject;
	readonly notify?: JsonObject | null;
	readonly callback?: JsonObject | null;
	readonly delay?: number | null;
}

interface RerunBody {
	readonly parameters?: JsonObject;
	readonly tasks?: readonly string[];
	readonly reset?: readonly string[];
	readonly user?: string | null;
	readonly delay?: number | null;
}

const delay = { type: ["integer", "null"], minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const user = { type: ["string", "null"] };
const names = { type: "array", items: { type: "string" } };

const createBody = defineBody<CreateBody>({
	properties: {
		action: { type: "string" },
		parameters: { type: "object" },
		user,
		context: { type: "object" },
		notify: { type: ["object", "null"] },
		callback: { type: ["object", "null"] },
		delay,
	},
	required: ["action"],
});
const rerunBody = defineBody<RerunBody>({ properties: { parameters: { type: "object" }, tasks: names, reset: names, user, delay } });
const changeBody = defineBody<{ readonly status: ExecutionStatus; readonly result?: JsonObject; readonly reason?: string }>({
	properties: {
		status: { type: "string", enum: executionStatuses },
		result: { type: "object" },
		reason: { type: "string", maxLength: 1_000 },
	},
	required: ["status"],
	closed: true,
});

export const executionRoutes = withActionExecutionsAlias([
	defineRoute({
		method: "GET",
		path: "/executions",
		summary: "List executions",
		description: "Newest first.",
		answers: { 200: answerSelectedPage(executionSchema, executionPart), 429: answerTooMany },
		permission: "execution_list",
		query: { ...executionFilterQuery, ...pagingQuery, ...selectionQuery, ...secretsQuery },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { selection, fields, children } = parseExecutionSelection(context.query);
			const query = {
				...parseExecutionFilter(context.query, (field, value) => context.engine.executions.toServiceNames(field, value)),
				fields,
				children,
			};
			const shown = { presentation: toRecordVisibility(context), selection };
			return replyPageOrAll(context, paging, async (part) => {
				const page = await context.engine.executions.list({ ...query, ...part });
				return { ...page, items: await presentExecutions(context, page.items, shown) };
			});
		},
	}),
	defineRoute({
		method: "POST",
		path: "/executions",
		summary: "Start an execution",
		answers: {
			201: answerJson(executionSchema, { description: "The execution is stored with the status `requested`." }),
			404: answerFault("The action does not exist."),
		},
		permission: "action_execute",
		query: secretsQuery,
		body: createBody,
		async resource({ engine, body }) {
			return toActionResource((await engine.actions.get(body.action)).ref);
		},
		async handler(context) {
			const view = await context.engine.executions.submit(toSubmitInput(context.body, context.request.headers), context.principal);
			return replyExecution(context, view, { status: 201, showsGiven: true });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/executions/:id",
		summary: "Get an execution",
		description:
			"The id `last` selects the most recently requested execution. A paused execution that only waits for answers names the inquiries in `awaited_inquiries`.",
		answers: { 200: answerSelected(executionSchema, executionPart) },
		permission: "execution_view",
		resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
		query: { ...selectionQuery, ...secretsQuery, max_result_size: "integer" },
		async handler(context) {
			const { selection, fields, children } = parseExecutionSelection(context.query);
			const view = await read(context, { fields, children }, context.query.max_result_size);
			const record = await presentExecution(context, view, { presentation: toRecordVisibility(context), selection });
			if (view.entity.status !== "paused" || !isSelected(selection, "awaited_inquiries")) return replyJson(record);
			const awaited_inquiries = await context.engine.executions.awaitedQuestions(view.entity);
			return replyJson({ ...record, ...(awaited_inquiries.length > 0 && { awaited_inquiries }) });
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/executions/:id",
		summary: "Set the status of an execution",
		description:
			"Body: `{status, result, reason}`. A final status or a result requires `execution_complete`, other changes require `execution_stop`. A paused execution that only waits for answers cannot be resumed.",
		answers: {
			200: answerJson(executionSchema),
			409: answerConflictBecause("The execution waits for answers to inquiries, which the message names."),
		},
		permission: "execution_stop",
		async resource(context) {
			const resource = await findExecutionResource(context.engine, toId(context));
			return isCompletion(context.body) ? { ...resource, permission: "execution_complete" } : resource;
		},
		query: secretsQuery,
		body: changeBody,
		async handler(context) {
			return replyExecution(context, await context.engine.executions.setStatus(toId(context), context.body, context.principal));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/executions/:id",
		summary: "Cancel an execution",
		description:
			"Returns a `faultstring` if the execution has already ended, and the header `Svc-Warning` if it was already canceled. `reason` is logged with the name of the user.",
		answers: { 200: answerJson({ anyOf: [executionSchema, faultSchema] }) },
		permission: "execution_stop",
		resource: (context) => findExecutionResource(context.engine, toId(context)),
		query: { ...secretsQuery, reason: "string" },
		async handler(context) {
			const { view, refused, wasCanceled } = await context.engine.executions.cancel(toId(context), context.principal, context.query.reason);
			// Clients that cancel several executions in a loop would stop at an error status.
			if (refused !== undefined) return replyFault(200, refused);
			const warnings = wasCanceled ? [`execution "${view.entity.id}" was already canceled`] : [];
			return replyExecution(context, view, { headers: toWarningHeaders(warnings) });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/executions/:id/re_run",
		summary: "Re-run an execution",
		description:
			"Body: `{parameters, user, delay}`; for a workflow also `{tasks, reset}`. With `no_merge=true`, the parameters of the first run are not reused.",
		answers: { 201: answerJson(executionSchema) },
		permission: "execution_rerun",
		resource: (context) => findExecutionResource(context.engine, toId(context)),
		query: { ...secretsQuery, no_merge: "boolean" },
		body: rerunBody,
		async handler(context) {
			if (!context.principal.isAdmin) {
				// The new execution shows the parameters of the first one, so the caller must be allowed to view that.
				const { path: _path, ...resource } = await findExecutionResource(context.engine, toId(context));
				context.guard.assert(context.principal, "execution_view", resource);
			}
			const input = toRerunInput(context.body, context.query.no_merge === true);
			return replyExecution(context, await context.engine.executions.rerun(toId(context), input, context.principal), { status: 201 });
		},
	}),
]);

/** States that pause, resume or cancel an execution. Every other state that a client sets completes it. */
const stoppingStatuses: ReadonlySet<ExecutionStatus> = new Set(["pausing", "paused", "resuming", "canceling", "canceled"]);

function isCompletion({ status, result }: { readonly status: ExecutionStatus; readonly result?: JsonObject }): boolean {
	return result !== undefined || !stoppingStatuses.has(status);
}

/** Returns the id in the path. Throws `SVC_NOT_FOUND` for `last`. */
export function toId({ path }: RouteContext<ExecutionRouteServices>): string {
	const id = path["id"] ?? "";
	if (id === "last") throw new SvcError("SVC_NOT_FOUND", 'id: "last" is not allowed here; give the id of an execution');
	return id;
}

async function replyExecution(
	context: RouteContext<ExecutionRouteServices, typeof secretsQuery>,
	view: ExecutionView,
	{
		status = 200,
		showsGiven = false,
		headers = {},
	}: { readonly status?: number; readonly showsGiven?: boolean; readonly headers?: Readonly<Record<string, string>> } = {},
) {
	return replyJson(
		await presentExecution(context, view, { presentation: { ...toRecordVisibility(context), showsGiven } }),
		status,
		headers,
	);
}

async function read(
	context: RouteContext<ExecutionRouteServices>,
	{ fields, children }: Pick<ExecutionSelection, "fields" | "children">,
	maximum: number | undefined,
): Promise<ExecutionView> {
	const id = context.path["id"] ?? "";
	const { executions } = context.engine;
	if (maximum !== undefined && (maximum < 0 || maximum > maxResultSize)) {
		throw new SvcError("SVC_INVALID", `max_result_size: must be from 0 to ${maxResultSize} bytes, got ${maximum}`);
	}
	if (!maximum || !fields.includes("result")) return executions.get(id, { fields, children });
	// Read the size first, so that a result above the maximum is not loaded.
	const view = await executions.get(id, { fields: fields.filter((field) => field !== "result"), children });
	return (view.entity.result_size ?? 0) > maximum ? view : executions.get(view.entity.id, { fields, children });
}

function toSubmitInput(body: CreateBody, headers: Headers): SubmitInput {
	const given = withHeaderContext(body.context, decodeHeader(headers.get("svc-context") ?? ""));
	const context = given && withoutActors(given);
	const traceparent = headers.get("traceparent");
	return {
		action: body.action,
		...(body.parameters && { parameters: body.parameters }),
		...(body.user && { user: body.user }),
		...(context && { context }),
		...(traceparent && { traceparent }),
		...(body.notify && { notify: body.notify }),
		...(body.callback && { callback: body.callback }),
		...(body.delay && { delay: body.delay }),
	};
}

/** Adds the members of the header to the context, except `user` and `pack`: the header must not choose the caller or the pack. */
function withHeaderContext(context: JsonObject | undefined, header: string): JsonObject | undefined {
	if (header === "") return context;
	const { user: _user, pack: _pack, ...added } = parseHeaderContext(header);
	return { ...context, ...added };
}

/** Removes the members that name the users who changed the state of an execution. Only the service may write them. */
function withoutActors({ paused_by: _paused, resumed_by: _resumed, cancelled_by: _canceled, ...context }: JsonObject): JsonObject {
	return context;
}

function parseHeaderContext(header: string): JsonObject {
	try {
		const value: unknown = parseJson(header, maxLargeNumbers);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
	} catch (cause) {
		throw new SvcError("SVC_INVALID", "svc-context: must be a JSON object", { cause });
	}
	throw new SvcError("SVC_INVALID", "svc-context: must be a JSON object");
}

function toRerunInput(body: RerunBody, noMerge: boolean): RerunInput {
	return {
		...(body.parameters && { parameters: body.parameters }),
		...(body.tasks && { tasks: body.tasks }),
		...(body.reset && { reset: body.reset }),
		...(body.user && { user: body.user }),
		...(body.delay && { delay: body.delay }),
		noMerge,
	};
}
