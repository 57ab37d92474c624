import { createHash } from "node:crypto";
import {
	type ActionEntity,
	type ActionSignature,
	type ActionSnapshotEntity,
	type PackEntity,
	type Runner,
	type RunnerTypeEntity,
	SvcError,
	stringifyJson,
} from "../../contract/index.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { addToCache } from "../../lib/bounded-cache.ts";
import { singleFlight } from "../../lib/single-flight.ts";
import { maskParameterDefaults } from "../../secrets/parameter-default-masking.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId } from "../basics/ids.ts";
import { insertIfAbsent } from "../basics/insert-if-absent.ts";
import type { CacheInvalidation } from "../coordination/cache-invalidation.ts";

/** An action with the other records that submitting and running it requires. */
export interface ResolvedAction {
	readonly action: ActionEntity;
	readonly runnerType: RunnerTypeEntity;
	/** The snapshot that new executions refer to. It is already stored. */
	readonly snapshot: ActionSnapshotEntity;
}

interface ActionCatalogDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly changes: Pick<CacheInvalidation, "onChange" | "announceChange">;
	readonly content: PackContentSource;
}

/** Location of the files of a pack: a directory of this host (`path`), or the storage (`content`). */
type PackLocation = Pick<PackEntity, "path" | "content">;

/** Milliseconds after which cached values of a shared storage are read again, in case a change event was lost. */
const maxCacheAgeMs = 1_000;

/** Maximum number of cached snapshots; each takes a few kilobytes. */
const maxCachedSnapshots = 2_000;

/** Reads actions, runner types and packs, and caches those that are read often. The storage remains authoritative. */
export class ActionCatalog {
	readonly #parts: ActionCatalogDependencies;
	/** Cache of the snapshots that executions refer to. A stored snapshot never changes, so no change invalidates this cache. */
	readonly #snapshots = new Map<string, ActionSnapshotEntity>();
	readonly #resolvedActions = new Map<string, Promise<ResolvedAction | undefined>>();
	readonly #packLocations = new Map<string, Promise<PackLocation | undefined>>();
	/** Cache by runner type name: true if the runner type is enabled. */
	readonly #isEnabledByRunner = new Map<string, Promise<boolean>>();
	#cachedSinceMs = performance.now();

	constructor(parts: ActionCatalogDependencies) {
		this.#parts = parts;
		parts.changes.onChange(() => this.#clearCache());
	}

	/** Returns the action with its runner type. Returns undefined if the action does not exist, or its runner type is not registered. */
	resolve(ref: string): Promise<ResolvedAction | undefined> {
		this.#clearOldCache();
		// Actions that do not exist are not cached: clients choose their refs freely, so such entries could fill the memory.
		return singleFlight(this.#resolvedActions, ref, { read: () => this.#readAction(ref), shouldCache: (action) => action !== undefined });
	}

	/** Returns the action and the runner type as they were when an execution was created. Throws if the snapshot does not exist. */
	async snapshot(id: string): Promise<ActionSnapshotEntity> {
		const cached = this.#snapshots.get(id);
		if (cached !== undefined) return cached;
		const stored = await this.#parts.storage.get("snapshot", id);
		if (stored === undefined) throw new Error(`snapshot "${id}" is missing`);
		addToCache(this.#snapshots, id, stored, maxCachedSnapshots);
		return stored;
	}

	/** Returns a snapshot from the cache; undefined if it is not cached. Snapshots of executions that changed recently usually are. */
	cachedSnapshot(id: string): ActionSnapshotEntity | undefined {
		return this.#snapshots.get(id);
	}

	/**
	 * Returns the directory of a pack on this node; undefined if the pack has none.
	 *
	 * @param content id of the pack content to use, such as that of a snapshot. Default: the current content of the pack
	 */
	async packDirectory(ref: string, content: string | null = null): Promise<string | undefined> {
		if (content !== null) return this.#parts.content.directory(ref, content);
		this.#clearOldCache();
		const location = await singleFlight(this.#packLocations, ref, { read: () => this.#readPackLocation(ref) });
		if (location?.content) return this.#parts.content.directory(ref, location.content);
		return location?.path ?? undefined;
	}

	/** Returns true if the runner type is enabled. Operators may disable a runner type. */
	isRunnerEnabled(name: string): Promise<boolean> {
		this.#clearOldCache();
		return singleFlight(this.#isEnabledByRunner, name, { read: () => this.#readEnabled(name) });
	}

	/** Makes every node clear its cache. Must be called after packs, actions or runner types have changed. */
	invalidate(): void {
		this.#parts.changes.announceChange();
	}

	/** Stores the configured runners as runner types. Does not change `enabled` of stored types, which operators set. */
	async registerRunnerTypes(runners: ReadonlyMap<string, Runner>): Promise<void> {
		const { storage, clock } = this.#parts;
		for (const [name, runner] of runners) {
			const fields = {
				description: runner.description,
				runner_module: name,
				output_key: runner.outputKey ?? null,
				runner_parameters: runner.parameters,
			};
			const [stored] = await storage.find("runner_type", { where: { name }, limit: 1 });
			if (stored !== undefined) await storage.update("runner_type", stored.id, fields);
			else await insertIfAbsent(() => storage.insert("runner_type", [{ id: createId(clock), name, enabled: true, ...fields }]));
		}
	}

	#clearCache(): void {
		this.#cachedSinceMs = performance.now();
		this.#resolvedActions.clear();
		this.#packLocations.clear();
		this.#isEnabledByRunner.clear();
	}

	/** Clears the cache if it is older than `maxCacheAgeMs` and the storage is shared: a change event of another node may be lost. */
	#clearOldCache(): void {
		const isOld = performance.now() - this.#cachedSinceMs > maxCacheAgeMs;
		if (isOld && this.#parts.storage.capabilities.shared === true) this.#clearCache();
	}

	async #readPackLocation(ref: string): Promise<PackLocation | undefined> {
		const [pack] = await this.#parts.storage.find("pack", { where: { ref }, fields: ["path", "content"], limit: 1 });
		return pack;
	}

	async #readEnabled(name: string): Promise<boolean> {
		const [type] = await this.#parts.storage.find("runner_type", { where: { name }, fields: ["enabled"], limit: 1 });
		return type?.enabled === true;
	}

	async #readAction(ref: string): Promise<ResolvedAction | undefined> {
		const { storage, logger } = this.#parts;
		const [action] = await storage.find("action", { where: { ref }, limit: 1 });
		if (action === undefined) return undefined;
		const [runnerType] = await storage.find("runner_type", { where: { name: action.runner_type }, limit: 1 });
		if (runnerType === undefined) {
			logger.warn("action needs a runner type that is not registered", { action: ref, runner_type: action.runner_type });
			return undefined;
		}
		const snapshot = toSnapshot(action, runnerType);
		await this.#storeSnapshot(snapshot);
		return { action, runnerType, snapshot };
	}

	async #storeSnapshot(snapshot: ActionSnapshotEntity): Promise<void> {
		const { storage } = this.#parts;
		// Look up even a cached snapshot: it may have been removed while no execution referred to it. The id is a hash of the content, so a
		// stored snapshot with this id is equal.
		if ((await storage.get("snapshot", snapshot.id)) === undefined) {
			await storage.insert("snapshot", [snapshot]).catch(async (error: unknown) => {
				if ((await storage.get("snapshot", snapshot.id)) === undefined) throw error;
			});
		}
		addToCache(this.#snapshots, snapshot.id, snapshot, maxCachedSnapshots);
	}
}

/** Returns the snapshot of an action and its runner type. Its id is derived from the content, so equal content has one snapshot. */
export function toSnapshot(action: ActionEntity, runner: RunnerTypeEntity): ActionSnapshotEntity {
	const content = stringifyJson([action, runner]);
	return { id: createHash("sha256").update(content).digest("hex").slice(0, 24), action, runner };
}

/** Provides pack contents that are in the storage as directories of this node. */
export interface PackContentSource {
	/**
	 * Returns the absolute path of a directory with the content of a pack. The directory is complete and never changes afterwards. It exists
	 * for as long as an execution may need it. Throws `SVC_RUNNER` if the content no longer exists.
	 */
	directory(pack: string, content: string): Promise<string>;
}

/** Default if no feature stores pack contents. */
export const noPackContent: PackContentSource = {
	async directory(pack) {
		throw new SvcError("SVC_RUNNER", `pack "${pack}" was installed, but this service has no feature that stores installed packs`);
	},
};

/**
 * Returns the signature of an action that a definition refers to; undefined if the action does not exist. Secret defaults are masked,
 * because a validation message may quote the values that a parameter allows.
 */
export async function findActionSignature(catalog: Pick<ActionCatalog, "resolve">, ref: string): Promise<ActionSignature | undefined> {
	const resolved = await catalog.resolve(ref);
	if (resolved === undefined) return undefined;
	return toActionSignature(resolved.action, resolved.runnerType);
}

/** Returns the signature of an action, with the parameters of its runner type. Secret defaults are masked. */
export function toActionSignature(
	{ ref, enabled, parameters }: Pick<ActionEntity, "ref" | "enabled" | "parameters">,
	{ runner_parameters }: Pick<RunnerTypeEntity, "runner_parameters">,
): ActionSignature {
	return { ref, enabled, parameters: maskParameterDefaults(mergeSchemas(runner_parameters, parameters)) };
}
