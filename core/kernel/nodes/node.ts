import type { EventBus, JsonObject, Logger, NodeRole, Options, Storage } from "../../contract/index.ts";
import type { Leasing } from "../coordination/lease-duration.ts";
import type { StorageClock } from "../coordination/storage-clock.ts";
import type { Persist } from "../plugins/startup-retry.ts";
import { NodeRecord } from "./heartbeat.ts";
import { NodeLife } from "./node-state.ts";
import type { Nodes, Readiness } from "./nodes-api.ts";
import { createReadiness } from "./readiness.ts";
import { createWork, type WorkLoop } from "./role-loops.ts";
import { createNodes } from "./stored-nodes.ts";

export interface NodeParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: StorageClock;
	readonly leasing: Leasing;
	readonly logger: Logger;
	readonly nodeId: string;
	readonly options: Options;
	readonly roles: readonly NodeRole[];
	readonly version: string;
	/** Names of the plugins. */
	readonly names: { readonly storage: string; readonly eventBus: string };
	readonly addresses: () => JsonObject;
	/** What its roles make it do, in the order in which it begins. */
	readonly loops: readonly WorkLoop[];
	readonly persist: Persist;
	/** Resolves when nothing runs here any more. */
	readonly idle: () => Promise<void>;
	/** Executions that run here. */
	readonly running: () => number;
	/** Writes refused because the work was no longer this node's. */
	readonly lateWrites: () => number;
	/** Aborts when the node is to stop. */
	readonly signal: AbortSignal;
}

/** This process as one of those that make up the service. */
export interface Node {
	readonly nodes: Nodes;
	readiness(): Promise<Readiness>;
	/** Make it known to the others. `SVC_CONFIG` when it cannot go together with them. */
	register(): Promise<void>;
	/** Everything is started: begin to work. */
	begin(): Promise<void>;
	/** Take on nothing more, for good; resolves when nothing is being taken on. Not ready from the call on. */
	end(): Promise<void>;
	/** Say that it goes. */
	leave(): Promise<void>;
}

export function createNode(parts: NodeParts): Node {
	const life = new NodeLife({
		logger: parts.logger,
		work: createWork(parts.loops, parts.persist),
		idle: parts.idle,
		onChange: () => record.beat(),
	});
	const record = new NodeRecord({
		...parts,
		describe: () => ({
			state: life.state(),
			running: parts.running(),
			late_writes: parts.lateWrites(),
			addresses: parts.addresses(),
		}),
		onDrain: (drain) => life.setDrain(drain),
	});
	return {
		nodes: createNodes(parts),
		readiness: createReadiness({ ...parts, isTold: () => record.isTold, unreadyReason: () => life.unreadyReason() }),
		register: () => parts.persist(() => record.start()),
		begin: () => life.begin(),
		end() {
			const ended = life.end();
			record.beat();
			return ended;
		},
		leave: () => record.stop(),
	};
}
