import { hostname } from "node:os";
import type { EventBus, JsonObject, Logger, NodeEntity, NodeRole, Options, Storage } from "../../contract/index.ts";
import { Looks } from "../../lib/poll-loop.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import { type BusWatch, createBusWatch } from "../coordination/bus-listener.ts";
import { type Leasing, toRenewalInterval, toRetryInterval } from "../coordination/lease-duration.ts";

import type { StorageClock } from "../coordination/storage-clock.ts";
import { assertCompanions, findLiving } from "./cluster-checks.ts";

/** Bus event: somebody has asked a node for something. */
export const nodeChangeEvent = "svc.node__change";

/** Seconds for which a node that has gone without saying so is still shown. */
const shownFor = 3_600;
/** Heartbeats between two looks for those that are shown no longer. */
const beatsToCleaning = 12;

export interface NodeRecordParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock & Pick<StorageClock, "measure" | "ahead">;
	readonly leasing: Leasing;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly options: Options;
	readonly roles: readonly NodeRole[];
	readonly version: string;
	/** Names of the plugins. */
	readonly names: { readonly storage: string; readonly eventBus: string };
	/** What changes while it lives. */
	readonly describe: () => Pick<NodeEntity, "state" | "running" | "late_writes"> & { readonly addresses: JsonObject };
	/** Aborts when the node is to stop. */
	readonly signal: AbortSignal;
	/** Whether the node is to drain, as it is stored; called with every heartbeat. */
	readonly onDrain: (drain: boolean) => void;
}

/**
 * What this node tells of itself, for as long as it lives. Others take it for gone once that has run out, as they do with what is held;
 * there is no fence, as nobody else would be this node.
 */
export class NodeRecord {
	readonly #parts: NodeRecordParts;
	readonly #startedAt: number;
	readonly #watch: BusWatch;
	readonly #beats: Looks;
	/** Nodes that were there before this one was known, also over several attempts to start. */
	#earlier: readonly NodeEntity[] | undefined;
	#isAway = false;
	#wasOff = false;
	#drain = false;
	#count = 0;

	constructor(parts: NodeRecordParts) {
		this.#parts = parts;
		this.#startedAt = parts.clock.now();
		this.#beats = new Looks({ look: () => this.#beat(), onError: (error) => this.#retry(error) });
		this.#watch = createBusWatch({
			...parts,
			names: [nodeChangeEvent],
			purpose: "requests to this node",
			filter: ({ data }) => data["node_id"] === parts.nodeId,
			onEvent: () => this.beat(),
			onGap: () => this.beat(),
		});
	}

	/** Make it known and keep it known. `SVC_CONFIG` when it cannot go together with the nodes that are there. */
	async start(): Promise<void> {
		const { storage, leasing, nodeId } = this.#parts;
		await this.#measure();
		// No other process can use a storage that is not shared: whoever is told of there is gone.
		if (!leasing.isShared) await storage.remove("node", { where: { id: { not: nodeId } } });
		this.#earlier ??= leasing.isShared ? await findLiving(this.#parts) : [];
		await this.#insert();
		if (!this.#beats.isOn) await this.#watch.start();
		this.#beats.start();
		this.beat();
		if (leasing.isShared) await assertCompanions(this.#parts, this.#earlier);
	}

	/** Whether the last thing it told was stored. */
	get isTold(): boolean {
		return !this.#isAway;
	}

	/** Tell now, as something has changed. */
	beat(): void {
		this.#beats.wake();
	}

	/** The node goes, and says so. */
	async stop(): Promise<void> {
		const { storage, nodeId, logger } = this.#parts;
		this.#watch.stop();
		const wasStarted = this.#beats.isOn;
		await this.#beats.stop();
		if (!wasStarted) return;
		await storage
			.remove("node", { where: { id: nodeId } })
			.catch((error: unknown) => logger.warn("node could not tell that it goes", { error }));
	}

	async #beat(): Promise<void> {
		await this.#tell();
		await this.#clean();
		this.#isAway = false;
		this.#plan(toRenewalInterval(this.#parts.leasing.lease));
	}

	#retry(error: unknown): void {
		if (!this.#isAway) this.#parts.logger.warn("node cannot tell that it lives; will be tried again", { error });
		this.#isAway = true;
		this.#plan(toRetryInterval(this.#parts.leasing.lease));
	}

	#plan(milliseconds: number): void {
		this.#beats.plan(milliseconds, () => this.beat());
	}

	async #tell(): Promise<void> {
		const { storage, nodeId, logger } = this.#parts;
		await this.#measure();
		const told = await storage.update("node", nodeId, this.#toChanging());
		// Others have taken it for gone for good, after it had stood still for very long.
		if (told === undefined) return this.#insert();
		if (told.drain !== this.#drain) logger.info("node was asked for something", { drain: told.drain });
		this.#drain = told.drain;
		this.#parts.onDrain(told.drain);
	}

	async #clean(): Promise<void> {
		this.#count += 1;
		if (this.#count % beatsToCleaning !== 0) return;
		const before = toTimestamp(this.#parts.clock.steady() - shownFor * 1_000_000);
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
			...this.#toChanging(),
		};
		// It is there already where the answer to an earlier attempt was lost.
		await insertOnce(() => storage.insert("node", [node]));
	}

	#toChanging() {
		const { clock, leasing, describe } = this.#parts;
		return {
			...describe(),
			heartbeat_at: toTimestamp(clock.now()),
			expires_at: leasing.expiry(),
			clock_offset: leasing.isShared ? this.#toOffset() : null,
		};
	}

	/** The storage's time is asked for with each heartbeat: what passes in this process need not pass at the same pace there. */
	async #measure(): Promise<void> {
		const { clock, logger } = this.#parts;
		await clock.measure();
		const seconds = this.#toOffset();
		if (clock.isOff() && !this.#wasOff) {
			logger.warn("the clock of this node is off; it takes over nothing from other nodes until it is right", { seconds });
		} else if (this.#wasOff && !clock.isOff()) logger.info("the clock of this node is right again", { seconds });
		this.#wasOff = clock.isOff();
	}

	/** Whole milliseconds, in seconds. */
	#toOffset(): number {
		return Math.round(this.#parts.clock.ahead() * 1_000) / 1_000;
	}
}
