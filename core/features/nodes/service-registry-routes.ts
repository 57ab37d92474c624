import { answerJson } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import type { NodeView } from "../../kernel/nodes/nodes-api.ts";
import { groupsSchema, membersSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<Engine, "nodes">>();

/** Routes that list nodes by role, as groups and members. The API specification determines this format. */
export const serviceRegistryRoutes = [
	defineRoute({
		method: "GET",
		path: "/service_registry/groups",
		component: "api",
		summary: "List the parts of the service that some node runs",
		answers: { 200: answerJson(groupsSchema) },
		permission: "admin",
		async handler({ engine }) {
			return replyJson({ groups: await engine.nodes.groups() });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/service_registry/groups/:group/members",
		component: "api",
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
