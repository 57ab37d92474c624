import type { NodeRole, Options } from "../contract/index.ts";
import type { Component } from "./route.ts";
import type { ServerAddress } from "./server-address.ts";

/** `health` answers health checks, and what watches the node. */
export type ListenerName = Component | "health";

/** A listener that a node opens, by its name and where. */
export interface ListenerPlan {
	readonly name: ListenerName;
	readonly address: ServerAddress;
}

/** Health checks tell no secrets, and probes know of no certificates. */
const plain = { use_ssl: false, cert: "", key: "" };

const components = ["auth", "api", "stream"] as const;

/** The listeners that are switched on and that the node's roles need, in the order in which they are opened. */
export function findListeners(options: Options, roles: readonly NodeRole[]): readonly ListenerPlan[] {
	const { health_listen, health_host: host, health_port: port } = options.node;
	const listeners = components
		.filter((component) => options[component].listen && roles.includes(component))
		.map((component) => ({ name: component, address: { section: component, ...options[component] } }));
	if (!health_listen) return listeners;
	return [...listeners, { name: "health", address: { section: "node", option: "health_port", host, port, ...plain } }];
}
