import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import postgres from "postgres";
import type { PostgresServer } from "../../core/testing/services/postgres.test-support.ts";
import type { Resource } from "./benchmark.ts";
import { startChild } from "./child.ts";

/** What executions on PostgreSQL are held against: graphile-worker, in as many processes as there are nodes. */
export interface JobPeer extends Resource {
	/** Jobs a second of those that wait already: what its workers can do at most. */
	drain(jobs: number): Promise<number>;
	/** Jobs a second when each is added by itself, `inFlight` at a time, to the end of the last one. */
	addAndDrain(load: { readonly inFlight: number; readonly seconds: number }): Promise<number>;
}

const version = "0.16.6";
/** More at a time were slower with three processes on two cores. */
const concurrency = 8;

export async function startJobPeer(server: PostgresServer, processes: number): Promise<JobPeer> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	const install = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", directory, `graphile-worker@${version}`];
	await promisify(execFile)("npm", install, { cwd: directory });
	const { url, drop } = await server.createDatabase();
	// One after the other: the first one makes the tables.
	const workers: Awaited<ReturnType<typeof startChild>>[] = [];
	for (let number = 0; number < processes; number++) {
		workers.push(await startChild("graphile-worker.mjs", { input: { directory, url, concurrency } }));
	}
	const sql = postgres(url, { max: 16, onnotice: () => undefined });

	async function untilDone(): Promise<void> {
		for (;;) {
			const [row] = await sql`select exists (select from graphile_worker.jobs) as waiting`;
			if (row?.["waiting"] !== true) return;
			await pause(10);
		}
	}

	return {
		async drain(jobs) {
			await sql`select count(graphile_worker.add_job('noop')) from generate_series(1, ${jobs}::integer)`;
			const started = performance.now();
			await untilDone();
			return jobs / ((performance.now() - started) / 1_000);
		},
		async addAndDrain({ inFlight, seconds }) {
			const started = performance.now();
			let added = 0;
			const client = async () => {
				for (; performance.now() - started < seconds * 1_000; added++) await sql`select graphile_worker.add_job('noop')`;
			};
			await Promise.all(Array.from({ length: inFlight }, client));
			await untilDone();
			return added / ((performance.now() - started) / 1_000);
		},
		async stop() {
			await Promise.all(workers.map((worker) => worker.stop()));
			await sql.end();
			await drop();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
