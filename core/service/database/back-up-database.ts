import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Storage, SvcError } from "../../contract/index.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { findFilesBesideDatabase } from "./files-outside-database.ts";
import { type ConfigSource, createContext, readConfig, withCreated } from "./open-storage.ts";

export interface BackupOptions extends ConfigSource {
	/** Path of the backup, relative to the working directory. */
	readonly file: string;
}

export interface BackupReport {
	/** Absolute path of the backup. */
	readonly file: string;
	readonly bytes: number;
	/** Files and directories that the backup does not contain, with their purpose. */
	readonly beside: readonly string[];
}

/** Writes a snapshot of the configured database to a file. A service may use the database at the same time. */
export async function backUpDatabase({ file, ...place }: BackupOptions): Promise<BackupReport> {
	const config = await readConfig(place);
	const path = resolve(file);
	await callStorage(config, "backup", path);
	return { file: path, bytes: (await stat(path)).size, beside: findFilesBesideDatabase(config) };
}

/**
 * Replaces the contents of the configured database with a backup. Returns the new location of the old contents, or undefined if there were
 * none.
 */
export async function restoreDatabase({ file, ...place }: BackupOptions): Promise<{ readonly old: string | undefined }> {
	const config = await readConfig(place);
	await prepareDataDirectory(config.dataDirectory);
	return { old: await callStorage(config, "restore", resolve(file)) };
}

function callStorage<K extends "backup" | "restore">(config: ResolvedConfig, name: K, path: string): ReturnType<NonNullable<Storage[K]>> {
	return withCreated(config.storage, async (storage) => {
		const work = storage[name]?.bind(storage);
		if (work !== undefined) return work(createContext(config), path);
		throw new SvcError("SVC_CONFIG", `storage "${config.storage.name}" does not support ${name}; hint: use the tools of its database`);
	}) as ReturnType<NonNullable<Storage[K]>>;
}
