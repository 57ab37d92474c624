import { hostname } from "node:os";
import type { EventBus, JsonObject, Logger, NodeEntity, NodeRole, Options, Storage } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { insertOnce } from "../basics/insert-once.ts";
import { createBusWatch } from "../work/bus-watch.ts";
import { toExpiry, toRenewalInterval } from "../work/lease-time.ts";
import type { StorageClock } from "../work/storage-clock.ts";
import { assertCompanions, findLiving } from "./assert-companions.ts";

/** Bus event: somebody has asked a node for something. */
export const nodeChangeEvent = "svc.node__change";

/** Seconds for which a node that has gone without saying so is still shown. */
const shownFor = 3_600;
/** Heartbeats between two looks for those that are shown no longer. */
const beatsToCleaning = 12;
/** Milliseconds after which a heartbeat that failed is tried again. */
const longestRetry = 1_000;

export interface NodeRecordParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock & Pick<StorageClock, "measure" | "ahead">;
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

/** What this node tells of itself, for as long as it lives. */
export interface NodeRecord {
	/** Make it known and keep it known. `SVC_CONFIG` when it cannot go together with the nodes that are there. */
	start(): Promise<void>;
	/** Tell now, as something has changed. */
	beat(): void;
	/** The node goes, and says so. */
	stop(): Promise<void>;
}

export function createNodeRecord(parts: NodeRecordParts): NodeRecord {
	const { storage, clock, logger, nodeId, options } = parts;
	const { lease } = options.scheduler;
	const isShared = storage.capabilities.shared === true;
	const startedAt = clock.now();
	/** Nodes that were there before this one was known, also over several attempts to start. */
	let earlier: readonly NodeEntity[] | undefined;
	let timer: NodeJS.Timeout | undefined;
	let beating: Promise<void> | undefined;
	/** Asked to tell while telling. */
	let again = false;
	let isStarted = false;
	let isAway = false;
	let wasOff = false;
	let drain = false;
	let beats = 0;

	const watch = createBusWatch({
		...parts,
		names: [nodeChangeEvent],
		purpose: "requests to this node",
		filter: ({ data }) => data["node_id"] === nodeId,
		onEvent: beat,
		onGap: beat,
	});

	function toChanging() {
		return {
			...parts.describe(),
			heartbeat_at: toTimestamp(clock.now()),
			expires_at: toExpiry(clock, lease),
			clock_offset: isShared ? toOffset() : null,
		};
	}

	async function insert(): Promise<void> {
		const node: NodeEntity = {
			id: nodeId,
			name: options.node.name || hostname(),
			hostname: hostname(),
			pid: process.pid,
			version: parts.version,
			drain,
			started_at: toTimestamp(startedAt),
			event_bus: parts.names.eventBus,
			event_bus_shared: parts.eventBus.capabilities.shared === true,
			roles: parts.roles,
			...toChanging(),
		};
		// It is there already where the answer to an earlier attempt was lost.
		await insertOnce(() => storage.insert("node", [node]));
	}

	/** The storage's time is asked for with each heartbeat: what passes in this process need not pass at the same pace there. */
	async function measure(): Promise<void> {
		await clock.measure();
		const seconds = toOffset();
		if (clock.isOff() && !wasOff) {
			logger.warn("the clock of this node is off; it takes over nothing from other nodes until it is right", { seconds });
		} else if (wasOff && !clock.isOff()) logger.info("the clock of this node is right again", { seconds });
		wasOff = clock.isOff();
	}

	/** Whole milliseconds, in seconds. */
	function toOffset(): number {
		return Math.round(clock.ahead() * 1_000) / 1_000;
	}

	async function tell(): Promise<void> {
		await measure();
		const told = await storage.update("node", nodeId, toChanging());
		// Others have taken it for gone for good, after it had stood still for very long.
		if (told === undefined) return insert();
		if (told.drain !== drain) logger.info("node was asked for something", { drain: told.drain });
		drain = told.drain;
		parts.onDrain(drain);
	}

	async function clean(): Promise<void> {
		beats += 1;
		if (beats % beatsToCleaning !== 0) return;
		await storage.remove("node", { where: { expires_at: { lt: toTimestamp(clock.steady() - shownFor * 1_000_000) } } });
	}

	async function tellAndWait(): Promise<void> {
		clearTimeout(timer);
		let delay = toRenewalInterval(lease);
		try {
			do {
				again = false;
				await tell();
			} while (again);
			await clean();
			isAway = false;
		} catch (error) {
			if (!isAway) logger.warn("node cannot tell that it lives; will be tried again", { error });
			isAway = true;
			delay = Math.min(delay, longestRetry);
		}
		if (isStarted) timer = setTimeout(beat, delay);
	}

	function beat(): void {
		if (!isStarted) return;
		again = true;
		beating ??= tellAndWait().finally(() => {
			beating = undefined;
		});
	}

	return {
		beat,
		async start() {
			// No other process can use a storage that is not shared: whoever is told of there is gone.
			await measure();
			if (!isShared) await storage.remove("node", { where: { id: { not: nodeId } } });
			earlier ??= isShared ? await findLiving(parts) : [];
			await insert();
			if (!isStarted) await watch.start();
			isStarted = true;
			beat();
			if (isShared) await assertCompanions(parts, earlier);
		},
		async stop() {
			watch.stop();
			clearTimeout(timer);
			const wasStarted = isStarted;
			isStarted = false;
			await beating;
			if (!wasStarted) return;
			await storage
				.remove("node", { where: { id: nodeId } })
				.catch((error: unknown) => logger.warn("node could not tell that it goes", { error }));
		},
	};
}
