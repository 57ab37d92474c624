import type { PostgresServer } from "../core/testing/services/postgres.test-support.ts";
import type { Benchmark, Resource } from "./harness/benchmark.ts";
import { describeRate } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import { startJobPeer } from "./harness/job-peer.ts";
import { startDurablePostgres } from "./harness/postgres.ts";
import { type Service, type ServiceOptions, startService } from "./harness/service.ts";

const nodes = 3;
const inFlight = 48;
const body = JSON.stringify({ action: "core.noop", parameters: {} });

export const benchmark: Benchmark = {
	id: "P11",
	title: `core.noop on ${nodes} nodes and PostgreSQL, POST to succeeded, ${inFlight} in flight ÷ graphile-worker in ${nodes} processes on the same server`,
	goals: [
		{ name: "ratio", label: "executions/s ÷ jobs/s of those that wait already", direction: "at least", limits: [0.6] },
		{ name: "added", label: "executions/s ÷ jobs/s when each is added by itself, as executions are", direction: "at least", limits: [] },
	],
	async run(round) {
		const server = await round.use("server", () => startDurablePostgres());
		const cluster = await round.use("cluster", () => startCluster(server));
		const peer = await round.use("peer", () => startJobPeer(server, nodes));
		const seconds = round.quick ? 1 : 4;
		const [ours, jobs] = await round.alternate(
			() => runLoad(cluster.service, { body, inFlight, seconds }),
			async () => ({ drained: await peer.drain(round.quick ? 1_000 : 10_000), added: await peer.addAndDrain({ inFlight, seconds }) }),
		);
		return {
			values: { ratio: ours.perSecond / jobs.drained, added: ours.perSecond / jobs.added },
			detail:
				`${describeRate(ours)}, server means the first node only; ` +
				`graphile-worker ${jobs.drained.toFixed(0)}/s, ${jobs.added.toFixed(0)}/s each added by itself`,
		};
	},
};

interface Cluster extends Resource {
	/** All nodes as one: each `POST` goes to the next, the events come from the first. */
	readonly service: Service;
	readonly pids: readonly number[];
}

export async function startCluster(server: PostgresServer, options: ServiceOptions = {}): Promise<Cluster> {
	const { url, drop } = await server.createDatabase();
	const first = await startService({ ...options, url });
	const services = [first];
	while (services.length < nodes) services.push(await startService({ ...options, url }));
	let turn = 0;
	const post: Service["api"]["post"] = (path, text) => (services[turn++ % nodes] ?? first).api.post(path, text);
	return {
		service: { ...first, api: { ...first.api, post } },
		pids: services.map(({ pid }) => pid),
		async stop() {
			// The first one last: it has made what the others look for.
			for (const service of services.reverse()) await service.stop();
			await drop();
		},
	};
}
