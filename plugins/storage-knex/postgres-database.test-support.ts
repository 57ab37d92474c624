import * as assert from "node:assert/strict";
import postgres from "postgres";
import { entityKinds, isSvcError, type Storage, type SvcErrorCode } from "../../core/contract/index.ts";
import { createTestDatabase, type TestDatabase } from "../../core/testing/services/postgres.test-support.ts";
import { knexStorage, type PostgresPoolOptions, type PostgresUrlOptions } from "./index.ts";
import { toContext } from "./storage-context.test-support.ts";
import { toTable } from "./table-names.ts";

/** Runs statements as somebody else than the service would. */
export async function administer<T extends object>(url: string, sql: string): Promise<readonly T[]> {
	const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
	try {
		return [...(await client.unsafe<T[]>(sql))];
	} finally {
		await client.end({ timeout: 1 });
	}
}

export async function startPostgresStorage(
	options: Omit<PostgresUrlOptions, "client"> | Omit<PostgresPoolOptions, "client">,
): Promise<Storage> {
	const storage = knexStorage({ client: "postgres", ...options }).create();
	try {
		await storage.start?.(toContext("/nonexistent"));
	} catch (error) {
		await storage.stop?.();
		throw error;
	}
	return storage;
}

/** Whether what was thrown has the code and says the like; a password in it fails the test. */
export const refused =
	(code: SvcErrorCode, message = /./) =>
	(error: unknown): true => {
		assert.ok(isSvcError(error, code), String(error));
		assert.match(error.message, message);
		assert.doesNotMatch(error.message, /geheim/);
		return true;
	};

let shared: TestDatabase | undefined;
const toTables = () => Object.keys(entityKinds).map(toTable);

/** A database for every test of a file, whose tables are made once and emptied here. `dropEmptyDatabase` goes at the end. */
export async function emptyDatabase(): Promise<string> {
	if (shared) {
		// Not `truncate`, which makes new files for each table.
		await administer(
			shared.url,
			`set lock_timeout = '10s'; ${toTables()
				.map((table) => `delete from ${table}`)
				.join(";")}`,
		);
		return shared.url;
	}
	shared = await createTestDatabase();
	const storage = await startPostgresStorage({ url: shared.url });
	await storage.stop?.();
	return shared.url;
}

export async function dropEmptyDatabase(): Promise<void> {
	await shared?.drop();
	shared = undefined;
}
