import { hostname } from "node:os";
import type { JsonObject, NodeEntity } from "../../contract/index.ts";
import { PollLoop } from "../../lib/poll-loop.ts";
import { type StorageClock, toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { insertIfAbsent } from "../basics/insert-if-absent.ts";
import { type LeasePolicy, toRenewalIntervalMs, toRetryIntervalMs } from "../coordination/lease-policy.ts";
import { createReconnectingSubscription, type ReconnectingSubscription } from "../coordination/reconnecting-subscription.ts";
import { assertNodesCompatible, type ClusterCheckDependencies, findOtherLiveNodes } from "./cluster-checks.ts";

/** Name of the bus event that notifies a node of an administrator's request, such as a drain. */
export const nodeChangeEvent = "svc.node__change";

/** Seconds for which the record of a node is kept after its expiry, so that users can see that the node has stopped. */
const expiredNodeLifetimeSeconds = 3_600;
/** Number of heartbeats between two removals of expired node records. */
const heartbeatsPerRemoval = 12;

export interface HeartbeatDependencies extends Omit<ClusterCheckDependencies, "options">, Uses<"options" | "roles"> {
	readonly clock: StorageClock;
	readonly leasing: LeasePolicy;
	readonly version: string;
	/** Returns the fields of the node's record that change while the node runs. */
	readonly describe: () => Pick<NodeEntity, "state" | "running" | "late_writes"> & { readonly addresses: JsonObject };
	/** Called after every heartbeat with the stored `drain`: true if the node must drain. */
	readonly onDrain: (drain: boolean) => void;
}

/**
 * Record of this node, renewed by heartbeats until the node stops. Once the record has expired, by the rules for leases, other nodes treat
 * this node as stopped. The record needs no fence, because no two processes have the same node id.
 */
export class Heartbeat {
	readonly #parts: HeartbeatDependencies;
	readonly #startedAt: number;
	readonly #busListener: ReconnectingSubscription;
	readonly #heartbeatLoop: PollLoop;
	/** Nodes that were stored before the first attempt to start this node; undefined before that attempt. */
	#earlierNodes: readonly NodeEntity[] | undefined;
	/** True if the last heartbeat could not be stored. */
	#hasFailed = false;
	/** True if the clock of this machine was out of sync at the last measurement. */
	#wasClockOff = false;
	#drain = false;
	#heartbeatCount = 0;

	constructor(parts: HeartbeatDependencies) {
		this.#parts = parts;
		this.#startedAt = parts.clock.now();
		this.#heartbeatLoop = new PollLoop({ poll: () => this.#sendHeartbeat(), onError: (error) => this.#retryHeartbeat(error) });
		this.#busListener = createReconnectingSubscription({
			...parts,
			names: [nodeChangeEvent],
			purpose: "requests to this node",
			filter: ({ data }) => data["node_id"] === parts.nodeId,
			onEvent: () => this.sendNow(),
			onGap: () => this.sendNow(),
		});
	}

	/**
	 * Inserts the record and starts the heartbeats; may be called again after it has failed. Throws `SVC_CONFIG` if this node cannot work
	 * together with the nodes that are alive.
	 */
	async start(): Promise<void> {
		const { storage, leasing, nodeId } = this.#parts;
		await this.#measureClock();
		// No other process can use a storage that is not shared, so no other node that is stored there is still running.
		if (!leasing.isShared) await storage.remove("node", { where: { id: { not: nodeId } } });
		this.#earlierNodes ??= leasing.isShared ? await findOtherLiveNodes(this.#parts) : [];
		await this.#insert();
		if (!this.#heartbeatLoop.isStarted) await this.#busListener.start();
		this.#heartbeatLoop.start();
		this.sendNow();
		if (leasing.isShared) await assertNodesCompatible(this.#parts, this.#earlierNodes);
	}

	/** True if the last heartbeat was stored. */
	get isHeartbeatStored(): boolean {
		return !this.#hasFailed;
	}

	/** Sends a heartbeat at once, because the state has changed or a request to this node may be stored. */
	sendNow(): void {
		this.#heartbeatLoop.wake();
	}

	/** Stops the heartbeats and removes the record. Errors of the storage are only logged, because the record expires anyway. */
	async stop(): Promise<void> {
		const { storage, nodeId, logger } = this.#parts;
		this.#busListener.stop();
		const wasStarted = this.#heartbeatLoop.isStarted;
		await this.#heartbeatLoop.stop();
		if (!wasStarted) return;
		await storage
			.remove("node", { where: { id: nodeId } })
			.catch((error: unknown) => logger.warn("the record of this node could not be removed", { error }));
	}

	async #sendHeartbeat(): Promise<void> {
		await this.#storeHeartbeat();
		await this.#removeOldRecords();
		this.#hasFailed = false;
		this.#heartbeatLoop.scheduleWake(toRenewalIntervalMs(this.#parts.leasing.leaseSeconds));
	}

	#retryHeartbeat(error: unknown): void {
		if (!this.#hasFailed) this.#parts.logger.warn("heartbeat could not be stored; it will be retried", { error });
		this.#hasFailed = true;
		this.#heartbeatLoop.scheduleWake(toRetryIntervalMs(this.#parts.leasing.leaseSeconds));
	}

	async #storeHeartbeat(): Promise<void> {
		const { storage, nodeId, logger } = this.#parts;
		await this.#measureClock();
		const node = await storage.update("node", nodeId, this.#toChangingFields());
		// The record is missing: another node has removed it, because this process was suspended for more than an hour.
		if (node === undefined) return this.#insert();
		if (node.drain !== this.#drain) logger.info("drain request of this node changed", { drain: node.drain });
		this.#drain = node.drain;
		this.#parts.onDrain(node.drain);
	}

	/** At every twelfth heartbeat, removes the records that expired at least an hour ago. */
	async #removeOldRecords(): Promise<void> {
		this.#heartbeatCount += 1;
		if (this.#heartbeatCount % heartbeatsPerRemoval !== 0) return;
		const before = toTimestamp(this.#parts.clock.steady() - expiredNodeLifetimeSeconds * 1_000_000);
		await this.#parts.storage.remove("node", { where: { expires_at: { lt: before } } });
	}

	async #insert(): Promise<void> {
		const { storage, nodeId, options, version, names, eventBus, roles } = this.#parts;
		const node: NodeEntity = {
			id: nodeId,
			name: options.node.name || hostname(),
			hostname: hostname(),
			pid: process.pid,
			version,
			drain: this.#drain,
			started_at: toTimestamp(this.#startedAt),
			event_bus: names.eventBus,
			event_bus_shared: eventBus.capabilities.shared === true,
			roles,
			...this.#toChangingFields(),
		};
		// The record exists already if the response to an earlier attempt was lost.
		await insertIfAbsent(() => storage.insert("node", [node]));
	}

	/** Returns the fields that every heartbeat stores. */
	#toChangingFields() {
		const { clock, leasing, describe } = this.#parts;
		return {
			...describe(),
			heartbeat_at: toTimestamp(clock.now()),
			expires_at: leasing.newExpiry(),
			clock_offset: leasing.isShared ? this.#offsetSeconds() : null,
		};
	}

	/**
	 * Measures the clock of the storage. Logs an entry when the clock of this machine gets out of sync with it, or back in sync. Called with
	 * each heartbeat, because the two clocks may drift apart.
	 */
	async #measureClock(): Promise<void> {
		const { clock, logger } = this.#parts;
		await clock.measure();
		const seconds = this.#offsetSeconds();
		if (clock.isOutOfSync() && !this.#wasClockOff) {
			logger.warn("the clock of this node is off; it takes over nothing from other nodes until it is right", { seconds });
		} else if (this.#wasClockOff && !clock.isOutOfSync()) logger.info("the clock of this node is right again", { seconds });
		this.#wasClockOff = clock.isOutOfSync();
	}

	/** Returns the seconds by which this machine's clock is ahead of the storage's, rounded to milliseconds. */
	#offsetSeconds(): number {
		return Math.round(this.#parts.clock.ahead() * 1_000) / 1_000;
	}
}
