import postgres from "postgres";

export interface PlannedStatement {
	/** How often it was carried out. */
	readonly times: number;
	/** Lines of its plan. */
	readonly plan: readonly string[];
}

export interface WatchedStatements {
	reset(): Promise<unknown>;
	/** Statements since the last reset whose text matches, with the plans for any parameters. */
	read(pattern: RegExp): Promise<readonly PlannedStatement[]>;
	stop(): Promise<void>;
}

/** Watches the statements of a database, on a server that has loaded `pg_stat_statements`. */
export async function watchStatements(url: string): Promise<WatchedStatements> {
	const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
	await sql.unsafe("create extension pg_stat_statements");
	await sql.unsafe("set plan_cache_mode = force_generic_plan");
	// So that plans do not depend on how many rows there are: a table is read whole only where no index serves.
	await sql.unsafe("set enable_seqscan = off");
	return {
		reset: () => sql.unsafe("select pg_stat_statements_reset()"),
		async read(pattern) {
			const rows = await sql.unsafe(
				"select query, calls::int from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())",
			);
			const statements: PlannedStatement[] = [];
			for (const { query, calls } of rows) {
				if (pattern.test(query) && !/pg_|explain/i.test(query)) statements.push({ times: calls, plan: await explain(sql, query) });
			}
			return statements;
		},
		stop: () => sql.end(),
	};
}

async function explain(sql: postgres.Sql, query: string): Promise<readonly string[]> {
	const parameters = Math.max(0, ...[...query.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
	const values = parameters === 0 ? "" : `(${Array.from({ length: parameters }, () => "null").join()})`;
	try {
		await sql.unsafe(`prepare planned as ${query}`);
		const rows = await sql.unsafe(`explain (costs off) execute planned${values}`);
		return rows.map((row) => String(row["QUERY PLAN"]).trim());
	} catch (error) {
		return [`not explained: ${(error as Error).message}`];
	} finally {
		await sql.unsafe("deallocate all");
	}
}
