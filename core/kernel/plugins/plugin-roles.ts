import { type Lifecycle, type NodeRole, nodeRoles, type PluginKind, type Runner } from "../../contract/index.ts";

/**
 * Roles that need the plugins of each kind. The role `api` needs the auth backend, because its listener also serves the authentication
 * component.
 */
const rolesByKind: Readonly<Record<PluginKind, readonly NodeRole[]>> = {
	storage: nodeRoles,
	"event-bus": nodeRoles,
	"auth-backend": ["auth", "api"],
	runner: ["worker"],
	sensor: ["sensors"],
	dialect: nodeRoles,
	telemetry: nodeRoles,
};

/**
 * Returns true if a node with these roles starts plugins of a kind. A runner (`instance`) that can run sensors of packs is also started on
 * nodes that run sensors.
 */
export function shouldStart(kind: PluginKind, roles: readonly NodeRole[], instance?: Lifecycle): boolean {
	if (rolesByKind[kind].some((role) => roles.includes(role))) return true;
	return kind === "runner" && roles.includes("sensors") && (instance as Runner | undefined)?.packSensors !== undefined;
}
