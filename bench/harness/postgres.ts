import { type PostgresServer, startPostgres } from "../../core/testing/services/postgres.test-support.ts";

/** A PostgreSQL server of its own that keeps what it has acknowledged, as one in production does; the rest is as it is installed. */
export function startDurablePostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
	return startPostgres({ fsync: "on", full_page_writes: "on", ...settings });
}
