import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { type NatsServer, startNats } from "../../core/testing/services/nats.test-support.ts";
import { startPostgres } from "../../core/testing/services/postgres.test-support.ts";
import { type PostgresProxy, startProxy } from "../../plugins/storage-knex/postgres-proxy.test-support.ts";
import { ChaosNode } from "./chaos-node.ts";
import { disturb, type FaultName } from "./faults.ts";
import { askInTheQuiet, createRule, keepAsking } from "./load.ts";
import { Oracle, type Violation } from "./oracle.ts";
import type { Mechanism } from "./weakened-storage.ts";

export interface ChaosOptions {
	readonly seed: number;
	/** How long faults happen. */
	readonly seconds: number;
	readonly faults: readonly FaultName[];
	/** Seconds from one fault to the next, on average. */
	readonly interval: number;
	/** `scheduler.lease` in seconds. */
	readonly lease: number;
	/** Probability with which the bus loses an event; it repeats and delays as many. */
	readonly busLoss: number;
	readonly bus: "postgres" | "nats";
	/** `split`: one node takes requests and reacts to events, the others run actions. Default `all`: each does everything. */
	readonly roles?: "all" | "split";
	/** Seconds after the faults in which everything must be final. Default 30. */
	readonly patience?: number;
	/** Requests that clients make at once. */
	readonly inFlight: number;
	/** What is taken out. */
	readonly without: readonly (Mechanism | "poll")[];
	/** Directory for the logs of the nodes; default one that is removed. */
	readonly logs?: string;
	readonly print: (line: string) => void;
	/** Ends it before its time, and all that it has started. */
	readonly signal?: AbortSignal;
}

/** Seconds within which the runs of a lost node are final. */
const recoveryLimit = 30;
const frontRoles = "auth,api,stream,rules,timers,sensors";
const nodeCount = 3;
/** Milliseconds that a run which was aborted may take to notice. */
const patienceAtEnd = 3_000;

/** Three nodes on one PostgreSQL server under load and faults; the promises that were broken. Rejects when the signal aborts. */
export async function runChaos(options: ChaosOptions): Promise<readonly Violation[]> {
	const directory = await mkdtemp(join(tmpdir(), "svc-chaos-"));
	const stops: (() => Promise<void>)[] = [() => rm(directory, { recursive: true, force: true })];
	const { signal } = options;
	const running = runIn(directory, options, async (stop) => {
		stops.push(stop);
		signal?.throwIfAborted();
	});
	const aborted = new Promise<never>((_, reject) => {
		signal?.addEventListener("abort", () => reject(signal.reason as Error));
	});
	try {
		return await Promise.race([running, aborted]);
	} finally {
		// A server that is being started is there to be stopped a moment later; what waits for a node or a server fails by itself.
		for (let stop = stops.pop(); stop; stop = stops.pop()) {
			await stop();
			if (stops.length === 0 && signal?.aborted) await Promise.race([running.catch(() => {}), delay(patienceAtEnd)]);
		}
	}
}

async function runIn(
	directory: string,
	options: ChaosOptions,
	onStop: (stop: () => Promise<void>) => Promise<void>,
): Promise<readonly Violation[]> {
	const random = createRandom(options.seed);
	const server = await startPostgres();
	await onStop(() => server.stop());
	const { url: databaseUrl } = await server.createDatabase();
	let nats: NatsServer | undefined;
	if (options.bus === "nats") {
		nats = await startNats();
		const { stop } = nats;
		await onStop(stop);
	}
	const proxies = await Promise.all(Array.from({ length: nodeCount }, () => startProxy(databaseUrl)));
	await onStop(async () => void (await Promise.all(proxies.map((proxy) => proxy.stop()))));
	const nodes = createNodes(directory, options, { proxies, servers: nats === undefined ? {} : { CHAOS_NATS_URL: nats.url } });
	await onStop(async () => void (await Promise.all(nodes.map((node) => node.end()))));
	for (const node of nodes) await node.start();
	const oracle = new Oracle({ databaseUrl, startsFile: join(directory, "starts") });
	await onStop(() => oracle.stop());
	oracle.watch();
	const [first] = nodes as [ChaosNode];
	const { client } = first.access() ?? fail("the first node does not answer");
	await createRule(client);

	const ending = new AbortController();
	const asking = keepAsking({ nodes, oracle, random, inFlight: options.inFlight, signal: ending.signal });
	// Some load before the first fault.
	await delay(1_000);
	const { faults: names, seconds, interval, lease } = options;
	const { counts, finish } = await disturb({ nodes, server, oracle, random, lease, databaseUrl }, { names, seconds, interval });
	ending.abort();
	await asking;
	await finish();
	const settling = performance.now();
	const patience = options.patience ?? recoveryLimit;
	const isSettled = await oracle.settled(patience);
	options.print(`settled ${((performance.now() - settling) / 1_000).toFixed(1)} s after the last fault`);
	if (isSettled) {
		await askInTheQuiet({ nodes, oracle, random });
		await oracle.settled(patience);
	}
	const mayAbandon = ["kill", "freeze", "hole"].some((name) => names.includes(name as FaultName));
	const violations = await oracle.judge({ mayAbandon, recoveryLimit });
	options.print([...counts].map(([name, count]) => `${count} × ${name}`).join(", ") || "no faults");
	options.print(await oracle.describe());
	if (oracle.count() < seconds) violations.push({ promise: "alive", detail: `only ${oracle.count()} requests were answered` });
	return violations;
}

interface Surroundings {
	/** A way to the database for each node. */
	readonly proxies: readonly PostgresProxy[];
	/** Other servers, by variable of the environment. */
	readonly servers: Readonly<Record<string, string>>;
}

function createNodes(directory: string, options: ChaosOptions, { proxies, servers }: Surroundings): readonly ChaosNode[] {
	const { without, logs = directory } = options;
	const environment = {
		...servers,
		CHAOS_BUS_LOSS: String(options.busLoss),
		CHAOS_WITHOUT: without.join(","),
		SVC_SCHEDULER_LEASE: String(options.lease),
		SVC_SCHEDULER_POLL_INTERVAL: without.includes("poll") ? "3600" : "0.5",
	};
	return proxies.map((proxy, index) => {
		const only = options.roles === "split" ? { only: index === 0 ? frontRoles : "worker" } : {};
		return new ChaosNode({ name: `node-${index + 1}`, directory, logs, environment, proxy, ...only });
	});
}

function fail(message: string): never {
	throw new Error(message);
}
