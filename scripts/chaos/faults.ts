import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import type { PostgresServer } from "../../core/testing/services/postgres.test-support.ts";
import type { ChaosNode } from "./chaos-node.ts";
import type { Oracle } from "./oracle.ts";

/** What may go wrong, besides what the bus loses all the time. */
export const faultNames = ["kill", "freeze", "database", "connections", "clock", "hole"] as const;

export type FaultName = (typeof faultNames)[number];

export interface FaultParts {
	readonly nodes: readonly ChaosNode[];
	readonly server: PostgresServer;
	readonly oracle: Oracle;
	readonly random: Random;
	/** Seconds a node holds what it runs without renewing. */
	readonly lease: number;
	readonly databaseUrl: string;
}

/** Milliseconds for which a clock may be wrong. */
const longestClock = 12_000;

type Fault = (parts: FaultParts) => Promise<void>;

/** Each resolves when the fault is over. One node at least is left alone. */
export const faults: Readonly<Record<FaultName, Fault>> = {
	/** A node dies, and is started again a little later. */
	async kill({ nodes, oracle, random }) {
		const node = pickRunning(nodes, random);
		if (node === undefined) return;
		await oracle.noteLoss(node.pid() ?? 0);
		await node.kill();
		await delay(200 + random(1_000));
		await node.start();
	},

	/** A node stands still for twice its lease, and goes on as if nothing had been. */
	async freeze({ nodes, oracle, random, lease }) {
		const node = pickRunning(nodes, random);
		if (node === undefined) return;
		frozen.add(node);
		node.freeze();
		await oracle.noteLoss(node.pid() ?? 0);
		await delay(lease * 2_000);
		node.thaw();
		frozen.delete(node);
	},

	/** The database server stops, in order or as in a crash, and comes back. */
	async database({ server, random }) {
		await server.halt(random(2) === 0 ? "fast" : "kill");
		await delay(300 + random(1_200));
		await server.resume();
	},

	/** Every connection but the oracle's is cut. */
	async connections({ databaseUrl }) {
		const sql = postgres(databaseUrl, { max: 1, fetch_types: false, connection: { application_name: "oracle" }, onnotice: () => {} });
		try {
			await sql`select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and application_name <> 'oracle'`;
		} catch {
			// The database is away: its connections are cut already.
		} finally {
			await sql.end({ timeout: 1 });
		}
	},

	/** The clock of a node is set, and put right one to three leases later, but no later than the node has renewed a long lease twice. */
	async clock({ nodes, random, lease }) {
		const node = pick(random, nodes);
		await node.setClock(pick(random, [5, -5, 30, -30, 3_600, -3_600]));
		await delay(Math.min(lease * (1_000 + random(2_000)), longestClock));
		await node.setClock(0);
	},

	/** The way from a node to the database swallows everything for one to three leases. */
	async hole({ nodes, oracle, random, lease }) {
		const node = pickRunning(nodes, random);
		if (node === undefined) return;
		frozen.add(node);
		await oracle.noteLoss(node.pid() ?? 0);
		node.closeDatabase();
		await delay(lease * (1_000 + random(2_000)));
		node.openDatabase();
		frozen.delete(node);
	},
};

const frozen = new WeakSet<ChaosNode>();

/** A node that runs and does not stand still, when that leaves another one such. */
function pickRunning(nodes: readonly ChaosNode[], random: Random): ChaosNode | undefined {
	const free = nodes.filter((node) => node.isUp() && !frozen.has(node));
	return free.length < 2 ? undefined : pick(random, free);
}

export interface Disturbance {
	/** How often each fault was begun. */
	readonly counts: ReadonlyMap<FaultName, number>;
	/** Waits until the last fault is over. Rejects if a fault failed. */
	finish(): Promise<void>;
}

/** Begins the faults one after the other, every few seconds, so that some overlap. Resolves when the time is over, although faults may go on. */
export async function disturb(
	parts: FaultParts,
	options: { readonly names: readonly FaultName[]; readonly seconds: number; readonly interval: number },
): Promise<Disturbance> {
	const { names, seconds, interval } = options;
	const counts = new Map<FaultName, number>();
	const under: Promise<void>[] = [];
	const deadline = performance.now() + seconds * 1_000;
	for (let turn = parts.random(10); performance.now() < deadline; turn += 1) {
		await delay(interval * (500 + parts.random(1_000)));
		const name = names[turn % names.length];
		if (name === undefined) continue;
		counts.set(name, (counts.get(name) ?? 0) + 1);
		const fault = faults[name](parts);
		// `finish` reports the failure.
		fault.catch(() => undefined);
		under.push(fault);
	}
	const finish = async () => {
		// All of them, so that none is under way when everything is stopped.
		await Promise.allSettled(under);
		await Promise.all(under);
	};
	return { counts, finish };
}
