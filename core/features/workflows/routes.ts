import type { GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";
import { answerJson, answerPage, describeList } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging, toCountHeaders } from "../../http/paging.ts";
import { presentRecord, secretsQuery, toRecordVisibility } from "../../http/record-visibility.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { findExecutionResource } from "../executions/execution-resource-exports.ts";
import { withActionExecutionsAlias } from "../executions/execution-route-aliases-exports.ts";
import { findingSchema, graphSchema, runGraphSchema, taskSchema } from "./schemas.ts";
import type { OfRun, RunGraph } from "./workflows-exports.ts";

/** Services of the engine that the routes use. */
type RouteServices = Pick<Engine, "workflows" | "actions" | "executions">;

const { defineRoute, defineTextRoute } = createRouteDeclarations<RouteServices>();

const defaultLimit = 100;

/** Routes for definitions of workflows and the progress of their runs. */
export const workflowRoutes = [
	defineTextRoute({
		method: "POST",
		path: "/workflows/inspect",
		summary: "Inspect the definition of a workflow",
		description: "The body is the definition as `text/plain`. `runner` names its runner type (default `workflow`). Stores nothing.",
		answers: { 200: describeList(findingSchema, { description: "The problems found; empty if the definition is valid." }) },
		permission: "workflow_inspect",
		query: { runner: "string" },
		async handler({ engine, body, query, principal }) {
			return replyJson(await engine.workflows.inspect(body, { runner: query.runner, principal }));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/workflows/:ref/graph",
		summary: "Get the definition of a workflow as a graph",
		description: "400 if the action is not a workflow.",
		answers: { 200: answerJson(graphSchema) },
		permission: "action_view",
		resource: async ({ engine, path }) => toActionResource((await engine.actions.get(path["ref"] ?? "")).ref),
		async handler({ engine, path }) {
			return replyJson(await engine.workflows.graph(path["ref"] ?? ""));
		},
	}),
	...withActionExecutionsAlias([
		defineRoute({
			method: "GET",
			path: "/executions/:id/graph",
			summary: "Get the definition and the tasks of a workflow execution",
			description: "400 if the execution is not a workflow.",
			answers: { 200: answerJson(runGraphSchema) },
			permission: "execution_view",
			resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
			query: secretsQuery,
			async handler(context) {
				const graph = await context.engine.workflows.runGraph(context.path["id"] ?? "");
				return replyJson(await present(context, graph, maskGraph));
			},
		}),
		defineRoute({
			method: "GET",
			path: "/executions/:id/tasks",
			summary: "List the tasks of a workflow execution in the order of their start",
			description: "Also available while it runs. 400 if the execution is not a workflow.",
			answers: { 200: answerPage(taskSchema) },
			permission: "execution_view",
			resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
			query: { ...pagingQuery, ...secretsQuery },
			async handler(context) {
				const paging = parsePaging(context, defaultLimit);
				const { value, secrets } = await context.engine.workflows.tasks(context.path["id"] ?? "");
				const { offset, limit = value.length } = paging;
				const page = { value: value.slice(offset, offset + limit), secrets };
				return replyJson(await present(context, page, maskTasks), 200, toCountHeaders(value.length, paging));
			},
		}),
	]),
];

/** Returns the value with secrets masked, unless the caller requests secrets and may view them. */
async function present<T>(
	context: RouteContext<RouteServices, typeof secretsQuery>,
	{ value, secrets }: OfRun<T>,
	hide: (value: T, secrets: Redactor) => T,
): Promise<T> {
	return toRecordVisibility(context).masked ? presentRecord(() => hide(value, secrets)) : value;
}

type Hide = (text: string) => string;

/** Masks secrets in tasks. The action of a task may be the value of an expression, which can contain a secret. */
export function maskTasks(tasks: readonly TaskState[], secrets: Redactor): readonly TaskState[] {
	const written = toHideWritten(secrets);
	return tasks.map((task) => hideInTask(task, secrets, written));
}

/** Masks secrets in a graph and its tasks. */
export function maskGraph({ nodes, edges }: RunGraph, secrets: Redactor): RunGraph {
	const written = toHideWritten(secrets);
	return {
		nodes: nodes.map((node) => ({
			...hideInNode(node, written),
			tasks: node.tasks.map((task) => hideInTask(task, secrets, written)),
		})),
		edges: edges.map((edge) => ({ ...hideInEdge(edge, written), taken: edge.taken })),
	};
}

/**
 * Returns the function that masks text of the definition.
 * If the secrets of the run are unknown, it changes nothing, because the text is the same as in the file.
 */
function toHideWritten(secrets: Redactor): Hide {
	return secrets.isUnknown ? (text) => text : (text) => secrets.redactText(text);
}

function hideInTask(task: TaskState, secrets: Redactor, written: Hide): TaskState {
	const { name, action, next } = task;
	return {
		...task,
		name: written(name),
		action: action === null ? null : secrets.redactText(action),
		next: next.map(({ to, transition }) => ({ to: written(to), transition })),
	};
}

function hideInNode(node: GraphNode, written: Hide): GraphNode {
	const { id, action, items } = node;
	return { ...node, id: written(id), action: action === null ? null : written(action), items: items === null ? null : written(items) };
}

function hideInEdge(edge: GraphEdge, written: Hide): GraphEdge {
	const { from, to, when, publish } = edge;
	return {
		...edge,
		from: written(from),
		to: written(to),
		when: when === null ? null : written(when),
		...(publish !== undefined && { publish: publish.map(written) }),
	};
}
