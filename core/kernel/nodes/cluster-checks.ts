import { setTimeout as delay } from "node:timers/promises";
import { type EventBus, type NodeEntity, type NodeRole, nodeRoles, type Options, type Storage, SvcError } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { toExpiredBefore } from "../coordination/lease-policy.ts";

export interface ClusterCheckDependencies extends Uses<"storage" | "eventBus" | "clock" | "logger" | "nodeId"> {
	readonly options: Pick<Options, "scheduler">;
	/** Name of this node's event bus plugin. */
	readonly names: { readonly eventBus: string };
	/** Aborts when the node must stop. */
	readonly signal: AbortSignal;
}

/** Milliseconds between two polls for a heartbeat of another node. */
const pollPauseMs = 100;

/**
 * Checks that all nodes of one storage can receive each other's bus events. Throws `SVC_CONFIG` if another node is alive and its event bus,
 * or that of this node, reaches one process only. Of two nodes that start at the same time, the one with the greater id is refused.
 *
 * A node that was killed must not keep this one from starting. So if an incompatible node is stored, waits until that node stores another
 * heartbeat, which proves that it is alive, or until its record expires.
 *
 * @param earlier nodes whose records were stored before the record of this node
 */
export async function assertNodesCompatible(parts: ClusterCheckDependencies, earlier: readonly NodeEntity[]): Promise<void> {
	const heartbeats = new Map(earlier.map(({ id, heartbeat_at }) => [id, heartbeat_at]));
	for (;;) {
		const others = (await findOtherLiveNodes(parts)).filter(({ id }) => id < parts.nodeId || heartbeats.has(id));
		const unreachable = others.filter((other) => isUnreachable(other, parts));
		if (unreachable.length === 0) return warnOfOtherBuses(others, parts);
		const alive = unreachable.find(({ id, heartbeat_at }) => heartbeats.has(id) && heartbeats.get(id) !== heartbeat_at);
		if (alive !== undefined) throw toUnsharedBusError(alive, parts);
		for (const { id, heartbeat_at } of unreachable) if (!heartbeats.has(id)) heartbeats.set(id, heartbeat_at);
		await delay(pollPauseMs, undefined, { signal: parts.signal });
	}
}

/** Returns the nodes whose records have not expired, without this node. */
export async function findOtherLiveNodes({
	storage,
	clock,
	nodeId,
	options,
}: Pick<ClusterCheckDependencies, "storage" | "clock" | "nodeId" | "options">): Promise<readonly NodeEntity[]> {
	const liveNodes = await storage.find("node", { where: { expires_at: { gte: toExpiredBefore(clock, options.scheduler.lease) } } });
	return liveNodes.filter(({ id }) => id !== nodeId);
}

/** Returns true if this node and another one do not receive each other's bus events. */
function isUnreachable(other: NodeEntity, { eventBus }: ClusterCheckDependencies): boolean {
	return eventBus.capabilities.shared !== true || !other.event_bus_shared;
}

function toUnsharedBusError(other: NodeEntity, { eventBus, names }: ClusterCheckDependencies): SvcError {
	const busOwner = eventBus.capabilities.shared === true ? "its" : "this node's";
	const name = eventBus.capabilities.shared === true ? other.event_bus : names.eventBus;
	return new SvcError(
		"SVC_CONFIG",
		`event_bus: node "${other.name}" (${other.id}, process ${other.pid} on ${other.hostname}) works on the same storage, and ${busOwner} event bus ` +
			`"${name}" reaches one process only; give both nodes the same shared event bus, such as postgresBus({ … }) or natsBus({ … }), ` +
			"or stop that node first",
	);
}

/** Logs a warning for each node with another event bus plugin: even if both buses are shared, no event passes from one to the other. */
function warnOfOtherBuses(others: readonly NodeEntity[], { logger, names }: ClusterCheckDependencies): void {
	for (const { id, name, event_bus } of others) {
		if (event_bus === names.eventBus) continue;
		logger.warn("another node uses another event bus: events do not reach it, and work is found only at the poll interval", {
			node_id: id,
			name,
			event_bus,
			own: names.eventBus,
		});
	}
}

interface NodeComposition {
	readonly roles: readonly NodeRole[];
	readonly storage: { readonly name: string; readonly capabilities: Storage["capabilities"] };
	readonly eventBus: { readonly name: string; readonly capabilities: EventBus["capabilities"] };
}

/**
 * Throws `SVC_CONFIG` if this node has only some of the roles, and its storage or event bus does not reach other processes: the nodes with
 * the other roles would be unreachable.
 */
export function assertRolesReachable({ roles, storage, eventBus }: NodeComposition): void {
	if (roles.length === nodeRoles.length) return;
	const otherRoles = nodeRoles.filter((role) => !roles.includes(role)).join(", ");
	const toError = (problem: string, hint: string) =>
		new SvcError(
			"SVC_CONFIG",
			`node.only: other nodes must run ${otherRoles}, and ${problem}; hint: ${hint}, or leave node.only and --only out to run everything here`,
		);
	if (storage.capabilities.shared !== true) {
		const hint = 'storage: knexStorage({ client: "postgres", url: "postgres://…" })';
		throw toError(`the storage "${storage.name}", as configured, serves a single process`, hint);
	}
	if (eventBus.capabilities.shared !== true) {
		throw toError(`the event bus "${eventBus.name}" reaches this process only`, "event_bus: postgresBus({ … }) or natsBus({ … })");
	}
}
