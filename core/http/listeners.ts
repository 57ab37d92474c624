import type { NodeRole, Options } from "../contract/index.ts";
import type { Component } from "./route.ts";

/** Address and TLS settings of a listener. */
export interface ListenerOptions {
	/** Section of the options, for error messages. */
	readonly section: string;
	/** Name of the option with the port. Default `port`. */
	readonly option?: string;
	readonly host: string;
	/** 0 lets the operating system choose a port. */
	readonly port: number;
	readonly use_ssl: boolean;
	readonly cert: string;
	readonly key: string;
}

/** Name of a listener. `health` answers health checks and requests for monitoring. */
export type ListenerName = Component | "health";

/** A listener that a node opens, with its address. */
export interface NamedListener {
	readonly name: ListenerName;
	readonly address: ListenerOptions;
}

/** Options of a listener without TLS. Health checks contain no secrets, and probes usually have no certificates configured. */
const withoutTls = { use_ssl: false, cert: "", key: "" };

const components = ["auth", "api", "stream"] as const;

/** Returns the enabled listeners that the node's roles need, in the order in which they are opened. The health listener needs no role. */
export function selectEnabledListeners(options: Options, roles: readonly NodeRole[]): readonly NamedListener[] {
	const { health_listen, health_host: host, health_port: port } = options.node;
	const listeners = components
		.filter((component) => options[component].listen && roles.includes(component))
		.map((component) => ({ name: component, address: { section: component, ...options[component] } }));
	if (!health_listen) return listeners;
	return [...listeners, { name: "health", address: { section: "node", option: "health_port", host, port, ...withoutTls } }];
}
