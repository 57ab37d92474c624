import { type ConfigPlace, createContext, readConfig, withStorage } from "./open-storage.ts";

export interface MigrationReport {
	/** Changes of the schema by name, in order. */
	readonly changes: readonly string[];
	/** Path or address of a database that held nothing; undefined if it held something, or if the storage cannot tell. */
	readonly newPlace: string | undefined;
	/** Whether they have been made; else they were only asked for. */
	readonly isApplied: boolean;
}

/**
 * Bring the schema of the configured database to what this version needs, or say what that would take. The service does the same at
 * its start.
 */
export async function migrateDatabase({ plan, ...place }: ConfigPlace & { readonly plan: boolean }): Promise<MigrationReport> {
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
