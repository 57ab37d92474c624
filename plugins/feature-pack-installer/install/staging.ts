import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Storage, SvcError } from "../../../core/contract/index.ts";
import { type Dialects, isCompleted, readYamlObject, toPack, type Uses } from "../../../core/feature.ts";
import type { FetchOptions } from "../sources/pack-fetcher.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { InstallSources } from "./install-services.ts";
import type { CandidatePack } from "./pack-set.ts";

/** Milliseconds after which the directory of any installation is removed, even if its execution has not ended. */
const maxInstallation = 24 * 3_600_000;

export interface StagingDependencies extends Uses<"storage" | "dialects"> {
	readonly sources: Pick<InstallSources, "fetch">;
	readonly dataDirectory: string;
}

/** Temporary directory for the files of one installation, until they are in the storage. */
export class Staging {
	readonly #parts: StagingDependencies;
	readonly #directory: string;
	#count = 0;

	private constructor(parts: StagingDependencies, directory: string) {
		this.#parts = parts;
		this.#directory = directory;
	}

	/** Calls `use` with an empty staging directory and removes it afterwards. Also removes directories that killed processes have left. */
	static async with<T>(parts: StagingDependencies, executionId: string, use: (staging: Staging) => Promise<T>): Promise<T> {
		const root = join(parts.dataDirectory, "pack-staging");
		await removeLeft(root, parts.storage);
		const directory = join(root, executionId);
		await rm(directory, { recursive: true, force: true });
		await mkdir(directory, { recursive: true, mode: 0o700 });
		try {
			return await use(new Staging(parts, directory));
		} finally {
			await rm(directory, { recursive: true, force: true });
		}
	}

	/** Fetches a pack and reads its manifest. Throws `SVC_INVALID` if the manifest cannot be used. */
	async fetch(request: PackRequest, options: Omit<FetchOptions, "into">): Promise<Omit<CandidatePack, "trail">> {
		const into = join(this.#directory, `-${(this.#count += 1)}`);
		await mkdir(into, { mode: 0o700 });
		const { sources, dialects } = this.#parts;
		const fetched = await sources.fetch(request, { ...options, into });
		// If the manifest contains no ref, it is derived from the name of the pack, because the directory name here is arbitrary.
		const { ref, version, metadata } = await readManifest(fetched.directory, request.text, dialects);
		return { ...fetched, ref, version, metadata };
	}
}

async function readManifest(
	directory: string,
	text: string,
	dialects: Dialects,
): Promise<Pick<CandidatePack, "ref" | "version" | "metadata">> {
	try {
		return toPack(dialects.translate("pack", await readYamlObject(join(directory, "pack.yaml"))), "-");
	} catch (cause) {
		const message = cause instanceof Error ? cause.message : String(cause);
		throw new SvcError("SVC_INVALID", `"${text}" contains an invalid pack.yaml: ${message}`, { cause });
	}
}

/** Removes directories left by killed processes: those whose executions have ended, and those older than 24 hours. */
async function removeLeft(root: string, storage: Storage): Promise<void> {
	const names = await readdir(root).catch(() => []);
	if (names.length === 0) return;
	const executions = await storage.find("execution", { where: { id: { in: names } }, fields: ["status"] });
	const ended = new Set(executions.filter(({ status }) => isCompleted(status)).map(({ id }) => id));
	for (const name of names) {
		const { mtimeMs } = await stat(join(root, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
		if (ended.has(name) || Date.now() - mtimeMs > maxInstallation) await rm(join(root, name), { recursive: true, force: true });
	}
}
