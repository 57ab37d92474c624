import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Resource, Round } from "./benchmark.ts";
import { runChild } from "./child.ts";
import { startDurablePostgres } from "./postgres.ts";

/** What executions of a history name, the most frequent first. */
export interface HistoryNames {
	readonly actions: readonly { readonly ref: string; readonly pack: string; readonly runner: string }[];
	readonly users: readonly string[];
	readonly rules: readonly string[];
	readonly triggers: readonly string[];
}

/** A database of the service as it is after months. */
export interface History extends Resource {
	/** Data directory of the service. */
	readonly dataDirectory: string;
	/** Executions in it. */
	readonly count: number;
	readonly names: HistoryNames;
}

/**
 * A million executions, or few for a quick run, on SQLite: made once for all benchmarks that ask for it. The directory in
 * `SVC_BENCH_HISTORY` is kept, and used again by the next run.
 */
export function useHistory({ quick, share }: Pick<Round, "quick" | "share">): Promise<History> {
	return share("history on SQLite", () => makeHistory(quick ? 20_000 : 1_000_000));
}

/** The same on PostgreSQL; its `url` is the database's. */
export function usePostgresHistory({ quick, share }: Round): Promise<History & { readonly url: string }> {
	return share("history on PostgreSQL", async () => {
		const server = await startDurablePostgres();
		try {
			const { url } = await server.createDatabase();
			const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
			const [dataDirectory, count] = [join(directory, "data"), quick ? 20_000 : 1_000_000];
			const { names } = (await runChild("make-history.mjs", { input: { dataDirectory, count, url } })) as Pick<History, "names">;
			const stop = async () => {
				await server.stop();
				await rm(directory, { recursive: true, force: true });
			};
			return { dataDirectory, count, names, url, stop };
		} catch (error) {
			await server.stop();
			throw error;
		}
	});
}

async function makeHistory(count: number): Promise<History> {
	const kept = process.env["SVC_BENCH_HISTORY"];
	const directory = kept ?? (await mkdtemp(join(tmpdir(), "svc-bench-")));
	const stop = async () => {
		if (kept === undefined) await rm(directory, { recursive: true, force: true });
	};
	const dataDirectory = join(directory, `data-${count}`);
	const facts = join(directory, `data-${count}.json`);
	try {
		if (!existsSync(facts)) await writeFile(facts, JSON.stringify(await runChild("make-history.mjs", { input: { dataDirectory, count } })));
		const { names } = JSON.parse(await readFile(facts, "utf8")) as Pick<History, "names">;
		return { dataDirectory, count, names, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
