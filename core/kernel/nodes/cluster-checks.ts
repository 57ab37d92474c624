import { setTimeout as delay } from "node:timers/promises";
import {
	type EventBus,
	type Logger,
	type NodeEntity,
	type NodeRole,
	nodeRoles,
	type Options,
	type Storage,
	SvcError,
} from "../../contract/index.ts";
import type { EngineClock } from "../basics/clock.ts";
import { toLapsedBefore } from "../coordination/lease-duration.ts";

interface CompanionParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly options: Pick<Options, "scheduler">;
	/** Name of this node's event bus plugin. */
	readonly names: { readonly eventBus: string };
	/** Aborts when the node is to stop. */
	readonly signal: AbortSignal;
}

/** Milliseconds between two looks at whether another node really lives. */
const pause = 100;

/**
 * Nodes that work on one storage must hear each other. Throws `SVC_CONFIG` while another lives whose event bus, or this one's,
 * reaches one process only; `earlier` are the nodes that were there before this one made itself known. Of two that start at once the
 * one with the greater id is refused. A node that was killed is told from one that lives by waiting: the first gives no further
 * sign, and its record runs out.
 */
export async function assertCompanions(parts: CompanionParts, earlier: readonly NodeEntity[]): Promise<void> {
	const seen = new Map(earlier.map(({ id, heartbeat_at }) => [id, heartbeat_at]));
	for (;;) {
		const others = (await findLiving(parts)).filter(({ id }) => id < parts.nodeId || seen.has(id));
		const deaf = others.filter((other) => isDeaf(other, parts));
		if (deaf.length === 0) return warnOfUnlike(others, parts);
		const living = deaf.find(({ id, heartbeat_at }) => seen.has(id) && seen.get(id) !== heartbeat_at);
		if (living !== undefined) throw refuse(living, parts);
		for (const { id, heartbeat_at } of deaf) if (!seen.has(id)) seen.set(id, heartbeat_at);
		await delay(pause, undefined, { signal: parts.signal });
	}
}

/** Nodes whose records have not run out, this one excepted. */
export async function findLiving({
	storage,
	clock,
	nodeId,
	options,
}: Pick<CompanionParts, "storage" | "clock" | "nodeId" | "options">): Promise<readonly NodeEntity[]> {
	const living = await storage.find("node", { where: { expires_at: { gte: toLapsedBefore(clock, options.scheduler.lease) } } });
	return living.filter(({ id }) => id !== nodeId);
}

function isDeaf(other: NodeEntity, { eventBus }: CompanionParts): boolean {
	return eventBus.capabilities.shared !== true || !other.event_bus_shared;
}

function refuse(other: NodeEntity, { eventBus, names }: CompanionParts): SvcError {
	const whose = eventBus.capabilities.shared === true ? "its" : "this node's";
	const name = eventBus.capabilities.shared === true ? other.event_bus : names.eventBus;
	return new SvcError(
		"SVC_CONFIG",
		`event_bus: node "${other.name}" (${other.id}, process ${other.pid} on ${other.hostname}) works on the same storage, and ${whose} event bus ` +
			`"${name}" reaches one process only; give both nodes the same shared event bus, such as postgresBus({ … }) or natsBus({ … }), ` +
			"or stop that node first",
	);
}

function warnOfUnlike(others: readonly NodeEntity[], { logger, names }: CompanionParts): void {
	for (const { id, name, event_bus } of others) {
		if (event_bus === names.eventBus) continue;
		logger.warn("another node uses another event bus: the two hear nothing of each other and find work at the poll interval only", {
			node_id: id,
			name,
			event_bus,
			own: names.eventBus,
		});
	}
}

interface Shareable {
	readonly roles: readonly NodeRole[];
	readonly storage: { readonly name: string; readonly capabilities: Storage["capabilities"] };
	readonly eventBus: { readonly name: string; readonly capabilities: EventBus["capabilities"] };
}

/** A node that runs a part only needs others to run the rest, and both need to reach them. Throws `SVC_CONFIG` otherwise. */
export function assertShareable({ roles, storage, eventBus }: Shareable): void {
	if (roles.length === nodeRoles.length) return;
	const missing = nodeRoles.filter((role) => !roles.includes(role)).join(", ");
	if (storage.capabilities.shared !== true) {
		throw new SvcError(
			"SVC_CONFIG",
			`node.only: other nodes must run ${missing}, and the storage "${storage.name}" as it is configured is for one process; ` +
				'hint: storage: knexStorage({ client: "postgres", url: "postgres://…" }), or leave node.only and --only out to run everything here',
		);
	}
	if (eventBus.capabilities.shared !== true) {
		throw new SvcError(
			"SVC_CONFIG",
			`node.only: other nodes must run ${missing}, and the event bus "${eventBus.name}" reaches this process only; ` +
				"hint: event_bus: postgresBus({ … }) or natsBus({ … }), or leave node.only and --only out to run everything here",
		);
	}
}
