import { answerJson, describeList } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { NodeView } from "../../kernel/nodes/nodes-api.ts";
import { nodeSchema, singleNodeSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<Engine, "nodes">>();

/** Routes for administrators to list and drain the nodes of the service. */
export const nodeRoutes = [
	defineRoute({
		method: "GET",
		path: "/nodes",
		component: "api",
		summary: "List nodes, by name",
		description: "Without count headers.",
		answers: { 200: describeList(nodeSchema) },
		permission: "admin",
		async handler({ engine }) {
			return replyJson((await engine.nodes.list()).map(toNode));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/nodes/:node",
		component: "api",
		summary: "Get a node by its id or name, with what runs there",
		description: "400 for a name that several nodes have. `executions` lists at most 100 runs, newest first.",
		answers: { 200: answerJson(singleNodeSchema) },
		permission: "admin",
		async handler({ engine, path }) {
			const view = await engine.nodes.get(path["node"] ?? "");
			return replyJson({ ...toNode(view), executions: await engine.nodes.running(view.node.id) });
		},
	}),
	...([true, false] as const).map((drain) =>
		defineRoute({
			method: "POST",
			path: `/nodes/:node/${drain ? "drain" : "resume"}`,
			component: "api",
			summary: drain ? "Ask a node to take on nothing new" : "Ask a node to take on work again",
			description: drain ? "It is `drained` once what runs there has ended. 400 for one that has gone." : "400 for one that has gone.",
			answers: { 202: answerJson(nodeSchema, { description: "It has been asked." }) },
			permission: "admin",
			async handler({ engine, path, principal, logger }) {
				const view = await engine.nodes.setDrain(path["node"] ?? "", drain);
				logger.info(drain ? "node drain requested" : "node resume requested", { user: principal.username, node_id: view.node.id });
				return replyJson(toNode(view), 202);
			},
		}),
	),
];

function toNode({ node, isAlive }: NodeView) {
	const { expires_at, event_bus_shared, ...shown } = node;
	return isAlive ? shown : { ...shown, state: "gone" };
}
