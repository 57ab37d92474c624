import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../harness/child.ts";
import type { HistoryNames } from "../harness/history.ts";
import { readList } from "../harness/list-figures.ts";
import { toListQueries } from "../harness/list-queries.ts";
import { startDurablePostgres } from "../harness/postgres.ts";
import { type Service, startService } from "../harness/service.ts";
import { toQueries } from "../p12-events.ts";
import { readSamples } from "../p12-lists.ts";
import { type PlannedStatement, type WatchedStatements, watchStatements } from "./postgres-statements.ts";

/** How a database carries out requests: statements in the order of their plans, by what was asked. */
export type Plans = ReadonlyMap<string, readonly string[]>;

/** Executions of the history that lists are read from. */
const count = 20_000;
/** Seconds for which executions are claimed. */
const claimSeconds = 3;

/** Plans of every list of P12 in SQLite. */
export async function readSqlitePlans(build: string): Promise<Plans> {
	return inDirectory(async (directory) => {
		const dataDirectory = join(directory, "data");
		const { names } = (await runChild("make-history.mjs", { input: { build, dataDirectory, count } })) as { readonly names: HistoryNames };
		const service = await startService({ build, dataDirectory, counted: true });
		try {
			const begin = () => service.count("plans");
			return await readListPlans(service, { names, begin, end: async () => (await service.count("end")) as PlannedStatement[] });
		} finally {
			await service.stop();
		}
	});
}

/** Plans of every list of P12 in PostgreSQL. */
export async function readPostgresPlans(build: string): Promise<Plans> {
	return watchDatabase(async ({ url, statements }) =>
		inDirectory(async (directory) => {
			const input = { build, dataDirectory: join(directory, "data"), count, url };
			const { names } = (await runChild("make-history.mjs", { input })) as { readonly names: HistoryNames };
			const service = await startService({ build, url });
			try {
				return await readListPlans(service, { names, begin: statements.reset, end: () => statements.read(/^\s*(select|with)\b/i) });
			} finally {
				await service.stop();
			}
		}),
	);
}

export interface ClaimPlans {
	readonly plans: Plans;
	/** Statements on executions for each that was claimed. */
	readonly perExecution: number;
}

/** Plans of what reads and writes executions while many wait to be claimed, as in P20. */
export async function readClaimPlans(build: string): Promise<ClaimPlans> {
	return watchDatabase(async ({ url, statements }) => {
		const input = { build, url, seconds: claimSeconds, held: false };
		const { claimed } = (await runChild("claim-waiting.mjs", { input })) as { readonly claimed: number };
		const found = await statements.read(/^\s*(select|with|insert|update|delete)\b[^]*\bexecutions\b/i);
		// What a timer does once a second does not depend on the build.
		const frequent = found.filter(({ times }) => times > 3 * claimSeconds);
		const lines = new Set(frequent.map(({ plan }) => plan.join("; ")));
		return { plans: new Map([["claims", [...lines].sort()]]), perExecution: found.reduce((sum, { times }) => sum + times, 0) / claimed };
	});
}

interface WatchedDatabase {
	readonly url: string;
	readonly statements: WatchedStatements;
}

async function watchDatabase<T>(work: (database: WatchedDatabase) => Promise<T>): Promise<T> {
	// New statistics would change plans meanwhile.
	const server = await startDurablePostgres({ shared_preload_libraries: "pg_stat_statements", autovacuum: "off" });
	try {
		const { url } = await server.createDatabase();
		const statements = await watchStatements(url);
		return await work({ url, statements }).finally(statements.stop);
	} finally {
		await server.stop();
	}
}

interface ListReading {
	readonly names: HistoryNames;
	readonly begin: () => Promise<unknown>;
	readonly end: () => Promise<readonly PlannedStatement[]>;
}

async function readListPlans(service: Service, { names, begin, end }: ListReading): Promise<Plans> {
	const queries = [...toListQueries({ names }, await readSamples(service)), ...(await toQueries(service))];
	const plans = new Map<string, readonly string[]>();
	for (const { title, toPath } of queries) {
		const once = async () => {
			await begin();
			await readList(service, toPath(0));
			return (await end()).map(({ times, plan }) => `${times} × ${plan.join("; ")}`).sort();
		};
		// What a timer of the service reads meanwhile is not read twice.
		const first = new Set(await once());
		plans.set(
			title,
			(await once()).filter((line) => first.has(line)),
		);
	}
	return plans;
}

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	try {
		return await work(directory);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

/** Lines for requests whose plans or numbers of statements differ. */
export function findChangedPlans(base: Plans, candidate: Plans): readonly string[] {
	return [...new Set([...base.keys(), ...candidate.keys()])].flatMap((title) => {
		const [before, after] = [base.get(title) ?? [], candidate.get(title) ?? []];
		if (before.join("\n") === after.join("\n")) return [];
		const removed = before.filter((line) => !after.includes(line)).map((line) => `  - ${line}`);
		const added = after.filter((line) => !before.includes(line)).map((line) => `  + ${line}`);
		return [`${title}:`, ...removed, ...added];
	});
}
