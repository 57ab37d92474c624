import { answerJson, describeList } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { NodeView } from "../../kernel/nodes/nodes-api.ts";
import { groupsSchema, membersSchema, nodeSchema, singleNodeSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<Engine, "nodes">>();

/** Routes for administrators to list and drain the nodes of the service. */
export const nodeRoutes = [
	defineRoute({
		method: "GET",
		path: "/nodes",
		summary: "List nodes by name",
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
		summary: "Get a node by its id or name, with its running executions and sensors",
		description: "400 if several nodes have the name. `executions` lists at most 100 runs, newest first.",
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
			summary: drain ? "Drain a node" : "Resume a drained node",
			description: drain
				? "The node accepts no new work, and is `drained` when its running executions have ended. 400 if the node is gone."
				: "400 if the node is gone.",
			answers: { 202: answerJson(nodeSchema, { description: "The request is stored." }) },
			permission: "admin",
			async handler({ engine, path, principal, logger }) {
				const view = await engine.nodes.setDrain(path["node"] ?? "", drain);
				logger.info(drain ? "node drain requested" : "node resume requested", { user: principal.username, node_id: view.node.id });
				return replyJson(toNode(view), 202);
			},
		}),
	),
	// These two list nodes by role, as groups and members. The API specification determines this format.
	defineRoute({
		method: "GET",
		path: "/service_registry/groups",
		summary: "List the parts of the service that run on a node",
		answers: { 200: answerJson(groupsSchema) },
		permission: "admin",
		async handler({ engine }) {
			return replyJson({ groups: await engine.nodes.groups() });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/service_registry/groups/:group/members",
		summary: "List the nodes that run a part of the service",
		answers: { 200: answerJson(membersSchema) },
		permission: "admin",
		async handler({ engine, path }) {
			const group = path["group"] ?? "";
			const members = await engine.nodes.members(group);
			return replyJson({ members: members.map((view) => toMember(group, view)) });
		},
	}),
];

function toNode({ node, isAlive }: NodeView) {
	const { expires_at, event_bus_shared, ...shown } = node;
	return isAlive ? shown : { ...shown, state: "gone" };
}

function toMember(group: string, { node }: NodeView) {
	const { hostname, pid, state, version } = node;
	const capabilities = { name: group, hostname, pid, ...toListener(node.addresses[group]), type: "active", state, version, node: node.id };
	return { group_id: group, member_id: `${hostname}_${pid}`, capabilities };
}

/** Returns the address of the listener of a role. Returns no members for a role without a listener. */
function toListener(address: unknown) {
	if (typeof address !== "string") return {};
	const { hostname, port, protocol } = new URL(address);
	return { listen_host: hostname, listen_port: Number(port || (protocol === "https:" ? 443 : 80)) };
}
