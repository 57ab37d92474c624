import { type NodeEntity, nodeRoles, SvcError } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { isId } from "../basics/ids.ts";
import { toExpiredBefore } from "../coordination/lease-policy.ts";
import { heldStatuses } from "../executions/status.ts";
import { nodeChangeEvent } from "./heartbeat.ts";
import type { Nodes, NodeView } from "./nodes-api.ts";

/** Maximum number of executions that are listed for a node. */
const maxListedExecutions = 100;

/** Creates the access of the API to the stored nodes. */
export function createStoredNodes({ storage, eventBus, clock, options }: Uses<"storage" | "eventBus" | "clock" | "options">): Nodes {
	function toView(node: NodeEntity): NodeView {
		return { node, isAlive: node.expires_at >= toExpiredBefore(clock, options.scheduler.lease) };
	}

	async function list(): Promise<readonly NodeView[]> {
		const nodes = await storage.find("node", {
			orderBy: [
				["name", "asc"],
				["started_at", "asc"],
			],
		});
		return nodes.map(toView);
	}

	async function get(idOrName: string): Promise<NodeView> {
		const byId = isId(idOrName) ? await storage.get("node", idOrName) : undefined;
		if (byId !== undefined) return toView(byId);
		const namesakes = (await list()).filter(({ node }) => node.name === idOrName);
		// After a crash, the record of the crashed process is still stored with the same name.
		const liveNamesakes = namesakes.filter(({ isAlive }) => isAlive);
		const [match, otherMatch] = liveNamesakes.length > 0 ? liveNamesakes : namesakes;
		if (match === undefined) throw new SvcError("SVC_NOT_FOUND", `node "${idOrName}" cannot be found`);
		if (otherMatch !== undefined) {
			const ids = namesakes.map(({ node }) => node.id).join(", ");
			throw new SvcError("SVC_INVALID", `node: several nodes have the name "${idOrName}"; give one of the ids ${ids}`);
		}
		return match;
	}

	return {
		list,
		get,
		running: (nodeId) =>
			storage.find("execution", {
				where: { owner: nodeId, status: { in: heldStatuses } },
				orderBy: [["start_timestamp", "desc"]],
				limit: maxListedExecutions,
				fields: ["action_ref", "status"],
			}),
		async setDrain(idOrName, drain) {
			const { node, isAlive } = await get(idOrName);
			if (!isAlive) throw new SvcError("SVC_INVALID", `node "${idOrName}" is gone and accepts no work`);
			const changedNode = await storage.update("node", node.id, { drain });
			if (changedNode === undefined) throw new SvcError("SVC_NOT_FOUND", `node "${idOrName}" cannot be found`);
			eventBus.publish(nodeChangeEvent, { node_id: node.id });
			return toView(changedNode);
		},
		async groups() {
			const liveNodes = (await list()).filter(({ isAlive }) => isAlive);
			return nodeRoles.filter((role) => liveNodes.some(({ node }) => node.roles.includes(role)));
		},
		async members(group) {
			const role = nodeRoles.find((candidate) => candidate === group);
			if (role === undefined) throw new SvcError("SVC_NOT_FOUND", `group "${group}" does not exist; groups: ${nodeRoles.join(", ")}`);
			return (await list()).filter(({ node, isAlive }) => isAlive && node.roles.includes(role));
		},
	};
}
