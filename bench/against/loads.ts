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
	/** Begins or ends to count, in a service that was started for it; of several nodes, the first does. */
	readonly count: Service["count"];
}

/** The load of a benchmark that can be put on a running service for a few seconds. */
export interface StartOptions {
	/** Directory of the build. */
	readonly build: string;
	/** Whether the service can count what it does. Operations go one at a time then, so that each counts the same. */
	readonly counted?: boolean;
	/** Seed of V8's hashes and random numbers. With the same seed, two processes of one build differ less. */
	readonly seed?: number;
}

/** The load of a benchmark that can be put on a running service for a few seconds. */
export interface ComparedLoad {
	/** Of the benchmark, as `P1`. */
	readonly id: string;
	readonly title: string;
	/** Operations until V8 has compiled most of what they need. */
	readonly warmUp: number;
	start(options: StartOptions): Promise<Subject>;
}

const noop = JSON.stringify({ action: "core.noop", parameters: {} });
const mebibytes = 16;
/** All output stays stored, so a turn ends after so much. */
const mostMebibytes = 128;
const items = 200;
const followers = 200;

export const comparedLoads: readonly ComparedLoad[] = [
	{ id: "P1", title: "echo hi, 16 in flight", warmUp: 6_000, start: (options) => startWith(options, toExecutions(echo, options)) },
	{ id: "P4", title: "core.noop, 16 in flight", warmUp: 16_000, start: (options) => startWith(options, toExecutions(noop, options)) },
	{ id: "P6", title: "output in lines of 80 bytes, for each MiB", warmUp: 256, start: (options) => startWith(options, toFloods) },
	{ id: "P9", title: "webhooks, one delivery in 20 matches a rule", warmUp: 16_000, start: (options) => startRuledWith(options, few) },
	{ id: "P9", title: "webhooks, each delivery starts 5 executions", warmUp: 5_000, start: (options) => startRuledWith(options, five) },
	{ id: "P11", title: "core.noop on three nodes and PostgreSQL, 48 in flight", warmUp: 12_000, start: startNodes },
	{
		id: "P16",
		title: `a workflow of ${items} tasks core.noop, for each task`,
		warmUp: 16_000,
		start: (options) => startWith(options, toTasks),
	},
	{ id: "P19", title: `core.noop with ${followers} followers of the stream`, warmUp: 10_000, start: startFollowed },
];

type Load = Subject["load"];

async function startWith(options: ServiceOptions, toLoad: (service: Service) => Load): Promise<Subject> {
	return toSubject(await startService(options), toLoad);
}

function toSubject(service: Service, toLoad: (service: Service) => Load): Subject {
	return { pids: [service.pid], load: toLoad(service), count: service.count, stop: () => service.stop() };
}

function toExecutions(body: string, { counted, inFlight = 16 }: Pick<StartOptions, "counted"> & { readonly inFlight?: number }) {
	const load = { body, inFlight: counted ? 1 : inFlight, warmUpSeconds: 0 };
	return (service: Service) => async (seconds: number) => (await runLoad(service, { ...load, seconds })).milliseconds.length;
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

async function startRuledWith(options: StartOptions, deliveries: typeof few): Promise<Subject> {
	const inFlight = options.counted ? 1 : 16;
	return toSubject(await startRuled(options), (service) => async (seconds) => {
		const accepted = await postDeliveries(service, deliveries, { inFlight, seconds });
		await settle(service);
		return accepted;
	});
}

async function startNodes(options: StartOptions): Promise<Subject> {
	const server = await startDurablePostgres();
	try {
		const { service, pids, stop } = await startCluster(server, options);
		return {
			...toSubject(service, toExecutions(noop, { ...options, inFlight: 48 })),
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

async function startFollowed(options: StartOptions): Promise<Subject> {
	const subject = await startService({ ...options, streamsPerUser: 0 });
	const crowd = await startFollowers(subject, followers - 1, "/v1/stream?events=svc.execution__update");
	return {
		...toSubject(subject, toExecutions(noop, options)),
		async stop() {
			await crowd.stop();
			await subject.stop();
		},
	};
}
