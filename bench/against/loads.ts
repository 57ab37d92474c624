import type { Resource } from "../harness/benchmark.ts";
import { echo } from "../harness/echo.ts";
import { runLoad } from "../harness/execution-load.ts";
import { startDurablePostgres } from "../harness/postgres.ts";
import { type Service, type ServiceOptions, startService } from "../harness/service.ts";
import { startFollowers } from "../harness/stream-followers.ts";
import { postDeliveries, settle } from "../harness/webhook-load.ts";
import { itemsAction } from "../harness/workflow-pack.ts";
import { runWorkflow } from "../harness/workflow-run.ts";
import { flood } from "../p6-flood.ts";
import { few, five, startRuled } from "../p9-webhooks.ts";
import { startCluster } from "../p11-nodes.ts";

/** A service, or several that work as one, with the load of a benchmark. */
export interface Subject extends Resource {
	/** Processes whose processor time counts, besides their launchers. */
	readonly pids: readonly number[];
	/** Puts load on the service for about so many seconds, and waits for what it started. Returns how many operations it did. */
	load(seconds: number): Promise<number>;
}

/** The load of a benchmark that can be put on a running service for a few seconds. */
export interface ComparedLoad {
	/** Of the benchmark, as `P1`. */
	readonly id: string;
	readonly title: string;
	/** Operations until V8 has compiled most of what they need. */
	readonly warmUp: number;
	start(build: string): Promise<Subject>;
}

const noop = JSON.stringify({ action: "core.noop", parameters: {} });
const mebibytes = 16;
/** All output stays stored, so a turn ends after so much. */
const mostMebibytes = 128;
const items = 200;
const followers = 200;

export const comparedLoads: readonly ComparedLoad[] = [
	{ id: "P1", title: "echo hi, 16 in flight", warmUp: 6_000, start: (build) => startWith({ build }, toExecutions(echo)) },
	{ id: "P4", title: "core.noop, 16 in flight", warmUp: 16_000, start: (build) => startWith({ build }, toExecutions(noop)) },
	{ id: "P6", title: "output in lines of 80 bytes, for each MiB", warmUp: 256, start: (build) => startWith({ build }, toFloods) },
	{ id: "P9", title: "webhooks, one delivery in 20 matches a rule", warmUp: 16_000, start: (build) => startRuledWith(build, few) },
	{ id: "P9", title: "webhooks, each delivery starts 5 executions", warmUp: 5_000, start: (build) => startRuledWith(build, five) },
	{ id: "P11", title: "core.noop on three nodes and PostgreSQL, 48 in flight", warmUp: 12_000, start: startNodes },
	{
		id: "P16",
		title: `a workflow of ${items} tasks core.noop, for each task`,
		warmUp: 16_000,
		start: (build) => startWith({ build }, toTasks),
	},
	{ id: "P19", title: `core.noop with ${followers} followers of the stream`, warmUp: 10_000, start: startFollowed },
];

type Load = Subject["load"];

async function startWith(options: ServiceOptions, toLoad: (service: Service) => Load): Promise<Subject> {
	return toSubject(await startService(options), toLoad);
}

function toSubject(service: Service, toLoad: (service: Service) => Load): Subject {
	return { pids: [service.pid], load: toLoad(service), stop: () => service.stop() };
}

function toExecutions(body: string, inFlight = 16): (service: Service) => Load {
	return (service) => async (seconds) => (await runLoad(service, { body, inFlight, seconds, warmUpSeconds: 0 })).milliseconds.length;
}

function toFloods(service: Service): Load {
	return (seconds) => repeat({ seconds, operations: mebibytes, most: mostMebibytes }, () => flood(service, mebibytes * 1_048_576));
}

function toTasks(service: Service): Load {
	return (seconds) => repeat({ seconds, operations: items }, () => runWorkflow(service, itemsAction, { count: items }));
}

interface Repetition {
	readonly seconds: number;
	/** What the work counts for. */
	readonly operations: number;
	readonly most?: number;
}

/** Repeats work until the time is over. */
async function repeat({ seconds, operations, most = Infinity }: Repetition, work: () => Promise<unknown>): Promise<number> {
	const until = performance.now() + 1_000 * seconds;
	let done = 0;
	for (; performance.now() < until && done < most; done += operations) await work();
	return done;
}

async function startRuledWith(build: string, deliveries: typeof few): Promise<Subject> {
	return toSubject(await startRuled({ build }), (service) => async (seconds) => {
		const accepted = await postDeliveries(service, deliveries, { inFlight: 16, seconds });
		await settle(service);
		return accepted;
	});
}

async function startNodes(build: string): Promise<Subject> {
	const server = await startDurablePostgres();
	try {
		const { service, pids, stop } = await startCluster(server, { build });
		return {
			...toSubject(service, toExecutions(noop, 48)),
			pids,
			async stop() {
				await stop();
				await server.stop();
			},
		};
	} catch (error) {
		await server.stop();
		throw error;
	}
}

async function startFollowed(build: string): Promise<Subject> {
	const subject = await startService({ build, streamsPerUser: 0 });
	const crowd = await startFollowers(subject, followers - 1, "/v1/stream?events=svc.execution__update");
	return {
		...toSubject(subject, toExecutions(noop)),
		async stop() {
			await crowd.stop();
			await subject.stop();
		},
	};
}
