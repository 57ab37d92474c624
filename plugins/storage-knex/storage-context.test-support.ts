import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext } from "../../core/contract/index.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { toDeclaredMigrations } from "./declared-migrations.ts";
import { migrations } from "./migrations/index.ts";

/** What the host would give a storage that is to keep its file in `dataDirectory`. */
export function toContext(dataDirectory: string): PluginContext {
	const ignore = () => {};
	const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
	return { dataDirectory, nodeId: "node", options: createOptions(), clock: { now: () => Date.now() * 1000 }, logger };
}

/** Runs with a directory that is removed afterwards. */
export async function withDirectory(run: (directory: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-storage-"));
	try {
		await run(directory);
	} finally {
		await rm(directory, { recursive: true });
	}
}

/** Names of all changes that a start makes to a new database. */
export function listChanges(): readonly string[] {
	return [...migrations, ...toDeclaredMigrations([])].map(({ name }) => name);
}
