import { type ConfigPlace, createContext, readConfig, withStorage } from "./open-storage.ts";

export interface MigrationReport {
	/** Changes of the schema by name, in order. */
	readonly changes: readonly string[];
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
	let changes: readonly string[];
	try {
		changes = (await storage.plan?.(createContext(config))) ?? [];
	} finally {
		await storage.stop?.();
	}
	if (!plan) await withStorage(config.storage, config, async () => {});
	return { changes, isApplied: !plan };
}
