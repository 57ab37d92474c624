import { type Lifecycle, type NodeRole, nodeRoles, type PluginKind, type Runner } from "../../contract/index.ts";

/** Roles of nodes that need plugins of a kind. The listener of the API answers for the authentication component too. */
const neededBy: Readonly<Record<PluginKind, readonly NodeRole[]>> = {
	storage: nodeRoles,
	"event-bus": nodeRoles,
	"auth-backend": ["auth", "api"],
	runner: ["worker"],
	sensor: ["sensors"],
	dialect: nodeRoles,
	telemetry: nodeRoles,
};

/** Whether a node with these roles starts plugins of a kind, or that one: a runner that runs sensors of packs is needed where sensors run. */
export function isStarted(kind: PluginKind, roles: readonly NodeRole[], instance?: Lifecycle): boolean {
	if (neededBy[kind].some((role) => roles.includes(role))) return true;
	return kind === "runner" && roles.includes("sensors") && (instance as Runner | undefined)?.packSensors !== undefined;
}
