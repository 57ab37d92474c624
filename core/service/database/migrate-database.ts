import { type ConfigSource, createContext, readConfig, withCreated, withStorage } from "./open-storage.ts";

export interface MigrationReport {
	/** Names of the schema changes, in order. */
	readonly changes: readonly string[];
	/**
	 * Path or address of the database if it was empty. Undefined if it was not empty, if no change is needed, or if the storage cannot report
	 * this.
	 */
	readonly newPlace: string | undefined;
	/** True if the changes were applied; false if they were only listed. */
	readonly isApplied: boolean;
}

/**
 * Migrates the schema of the configured database to this version, or lists the changes if `plan` is set. The service also migrates it at
 * its start.
 */
export async function migrateDatabase({ plan, ...place }: ConfigSource & { readonly plan: boolean }): Promise<MigrationReport> {
	const config = await readConfig(place);
	const planned = await withCreated(config.storage, async (storage) => {
		const context = createContext(config);
		const changes = (await storage.plan?.(context)) ?? [];
		const found = changes.length === 0 ? undefined : await storage.inspect?.(context);
		return { changes, newPlace: found?.state === "new" ? found.place : undefined };
	});
	if (!plan) await withStorage(config.storage, config, async () => {});
	return { ...planned, isApplied: !plan };
}
