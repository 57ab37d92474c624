import type { PostgresServer } from "../core/testing/services/postgres.test-support.ts";
import type { Benchmark } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";
import { startDurablePostgres } from "./harness/postgres.ts";
import { quantile } from "./harness/statistics.ts";

/** What ten minutes bring at 300 executions a second. */
const total = 180_000;
const nodes = 50;

export const benchmark: Benchmark = {
	id: "P20",
	title: `PostgreSQL: claims of executions that wait, with a snapshot held while ${total} come and go ÷ without; connections of ${nodes} nodes`,
	goals: [
		{ name: "held", label: "p99 of the last tenth of the claims, held ÷ not held", direction: "at most", limits: [2] },
		{ name: "heldMedian", label: "the same, p50", direction: "at most", limits: [] },
		{ name: "connections", label: "connections of a node", direction: "at most", limits: [3] },
	],
	async run(round) {
		const server = await round.use("server", () => startDurablePostgres({ max_connections: "300" }));
		const count = round.quick ? 2_000 : total;
		const [held, free] = await round.alternate(
			() => measureClaims(server, { total: count, held: true }),
			() => measureClaims(server, { total: count, held: false }),
		);
		const connections = (await countConnections(server, round.quick ? 3 : nodes)) / (round.quick ? 3 : nodes);
		return {
			values: { held: held.p99 / free.p99, heldMedian: held.p50 / free.p50, connections },
			detail: `${describe(held)} ÷ ${describe(free)}; ${connections.toFixed(2)} connections a node at most`,
		};
	},
};

interface Claims {
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
}

async function measureClaims(server: PostgresServer, input: { readonly total: number; readonly held: boolean }): Promise<Claims> {
	const database = await server.createDatabase();
	try {
		const times = (await runChild("claim-waiting.mjs", { input: { url: database.url, ...input } })) as readonly number[];
		const last = times.slice(-Math.ceil(times.length / 10));
		return { p50: quantile(last, 0.5), p99: quantile(last, 0.99) };
	} finally {
		await database.drop();
	}
}

async function countConnections(server: PostgresServer, count: number): Promise<number> {
	const database = await server.createDatabase();
	try {
		const input = { url: database.url, nodes: count, executions: 20 };
		const { connections } = (await runChild("many-nodes.mjs", { input })) as { readonly connections: number };
		return connections;
	} finally {
		await database.drop();
	}
}

function describe({ p50, p99 }: Claims): string {
	return `${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)})`;
}
