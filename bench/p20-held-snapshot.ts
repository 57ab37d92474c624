import type { PostgresServer } from "../core/testing/services/postgres.test-support.ts";
import type { Benchmark } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";
import { startDurablePostgres } from "./harness/postgres.ts";
import { quantile } from "./harness/statistics.ts";

/** Minutes for which a snapshot is held: ten are what the goal speaks of, one shows whether anything grows with them. */
const minutes = Number(process.env["SVC_BENCH_HELD_MINUTES"] ?? 1);
const nodes = 50;

export const benchmark: Benchmark = {
	id: "P20",
	title: `PostgreSQL: claims of executions that wait, with a snapshot held for ${minutes} min (SVC_BENCH_HELD_MINUTES) ÷ without; connections of ${nodes} nodes`,
	goals: [
		{ name: "held", label: "p99 of the last tenth of the claims, held ÷ not held", direction: "at most", limits: [2] },
		{ name: "heldMedian", label: "the same, p50", direction: "at most", limits: [] },
		{ name: "connections", label: "connections of a node", direction: "at most", limits: [3] },
	],
	async run(round) {
		const server = await round.use("server", () => startDurablePostgres({ max_connections: "300" }));
		const seconds = round.quick ? 3 : 60 * minutes;
		const [held, free] = await round.alternate(
			() => measureClaims(server, { seconds, held: true }),
			// As long: what has ended grows on both sides, and the server tidies up after so many minutes.
			() => measureClaims(server, { seconds, held: false }),
		);
		const connections = (await countConnections(server, round.quick ? 3 : nodes)) / (round.quick ? 3 : nodes);
		return {
			values: { held: held.p99 / free.p99, heldMedian: held.p50 / free.p50, connections },
			detail: `${seconds} s: ${describe(held)} ÷ not held: ${describe(free)}; ${connections.toFixed(2)} connections a node at most`,
		};
	},
};

interface Claims {
	/** Executions. */
	readonly claimed: number;
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
}

async function measureClaims(server: PostgresServer, input: { readonly seconds: number; readonly held: boolean }): Promise<Claims> {
	const database = await server.createDatabase();
	try {
		const facts = await runChild("claim-waiting.mjs", { input: { url: database.url, ...input } });
		const { times, claimed } = facts as { readonly times: readonly number[]; readonly claimed: number };
		const last = times.slice(-Math.ceil(times.length / 10));
		return { claimed, p50: quantile(last, 0.5), p99: quantile(last, 0.99) };
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

function describe({ claimed, p50, p99 }: Claims): string {
	return `${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)}, ${claimed} claimed)`;
}
