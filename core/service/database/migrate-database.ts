import { type ConfigSource, createContext, readConfig, withStorage } from "./open-storage.ts";

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
	const storage = config.storage.create();
	const context = createContext(config);
	let changes: readonly string[];
	let newPlace: string | undefined;
	try {
		changes = (await storage.plan?.(context)) ?? [];
		const found = changes.length === 0 ? undefined : await storage.inspect?.(context);
		if (found?.state === "new") newPlace = found.place;
	} finally {
		await storage.stop?.();
	}
	if (!plan) await withStorage(config.storage, config, async () => {});
	return { changes, newPlace, isApplied: !plan };
}
