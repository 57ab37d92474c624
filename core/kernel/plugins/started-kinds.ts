import { type NodeRole, nodeRoles, type PluginKind } from "../../contract/index.ts";

/** Roles of nodes that need plugins of a kind. The listener of the API answers for the authentication component too. */
const neededBy: Readonly<Record<PluginKind, readonly NodeRole[]>> = {
	storage: nodeRoles,
	"event-bus": nodeRoles,
	"auth-backend": ["auth", "api"],
	runner: ["worker"],
	sensor: ["sensors"],
};

/** Whether a node with these roles starts plugins of a kind. */
export function isStarted(kind: PluginKind, roles: readonly NodeRole[]): boolean {
	return neededBy[kind].some((role) => roles.includes(role));
}
