import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type PluginContext, type Storage, SvcError } from "../../contract/index.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { findBeside } from "./beside.ts";
import { type ConfigPlace, createContext, readConfig } from "./open-storage.ts";

export interface BackupOptions extends ConfigPlace {
	/** Path of the backup, relative to the working directory. */
	readonly file: string;
}

export interface BackupReport {
	/** Absolute path. */
	readonly file: string;
	readonly bytes: number;
	/** What belongs to the service and is in no database. */
	readonly beside: readonly string[];
}

/** Write what the configured database holds at this moment into a file; a service may work on it meanwhile. */
export async function backUpDatabase({ file, ...place }: BackupOptions): Promise<BackupReport> {
	const config = await readConfig(place);
	const path = resolve(file);
	await useStorage(config, "backup", (work, context) => work(context, path));
	return { file: path, bytes: (await stat(path)).size, beside: findBeside(config) };
}

/** Put a backup in the place of what the configured database holds. Where that is now; undefined where nothing had been kept. */
export async function restoreDatabase({ file, ...place }: BackupOptions): Promise<{ readonly old: string | undefined }> {
	const config = await readConfig(place);
	await prepareDataDirectory(config.dataDirectory);
	return { old: await useStorage(config, "restore", (work, context) => work(context, resolve(file))) };
}

async function useStorage<K extends "backup" | "restore", T>(
	config: ResolvedConfig,
	name: K,
	use: (work: NonNullable<Storage[K]>, context: PluginContext) => Promise<T>,
): Promise<T> {
	const storage = config.storage.create();
	const work = storage[name]?.bind(storage) as NonNullable<Storage[K]> | undefined;
	try {
		if (work !== undefined) return await use(work, createContext(config));
	} finally {
		await storage.stop?.();
	}
	throw new SvcError("SVC_CONFIG", `storage "${config.storage.name}" has no ${name}; hint: use the means of what it keeps its records in`);
}
