import type { ActionEntity, Clock, Logger, PackEntity, Runner, RunnerTypeEntity, SnapshotEntity, Storage } from "../../contract/index.ts";
import { readOnce } from "../../lib/single-flight.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import type { ChangeFeed } from "../coordination/change-feed.ts";
import type { ContentSource } from "./content-source.ts";
import { Snapshots, toSnapshot } from "./snapshots.ts";

/** Everything needed to submit or run an action. */
export interface ResolvedAction {
	readonly action: ActionEntity;
	readonly runnerType: RunnerTypeEntity;
	/** Already in storage. */
	readonly snapshot: SnapshotEntity;
}

export interface CatalogParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly changes: Pick<ChangeFeed, "onChange" | "changed">;
	readonly content: ContentSource;
}

/** Where the files of a pack are: in a directory of its own, or in the storage. */
type PackPlace = Pick<PackEntity, "path" | "content">;

/** Milliseconds for which another node's change may go unnoticed when its event is lost. */
const maximumAge = 1_000;

/** Knows actions, runner types and packs; the storage is the truth, this keeps what is read often. */
export class Catalog {
	readonly #parts: CatalogParts;
	readonly #snapshots: Snapshots;
	readonly #resolved = new Map<string, Promise<ResolvedAction | undefined>>();
	readonly #places = new Map<string, Promise<PackPlace | undefined>>();
	readonly #enabled = new Map<string, Promise<boolean>>();
	#keptSince = performance.now();

	constructor(parts: CatalogParts) {
		this.#parts = parts;
		this.#snapshots = new Snapshots(parts.storage);
		parts.changes.onChange(() => this.#forget());
	}

	/** Action with its runner type, or undefined when there is no such action. */
	resolve(ref: string): Promise<ResolvedAction | undefined> {
		this.#forgetOld();
		// Names that do not exist are not kept: callers choose them freely.
		return readOnce(this.#resolved, ref, { read: () => this.#read(ref), isKept: (found) => found !== undefined });
	}

	/** Action and runner type as they were when an execution was created. */
	snapshot(id: string): Promise<SnapshotEntity> {
		return this.#snapshots.get(id);
	}

	/** The same where they are in memory, as those of executions that have just changed are. */
	knownSnapshot(id: string): SnapshotEntity | undefined {
		return this.#snapshots.known(id);
	}

	/**
	 * Directory of a pack on this node; undefined when it has none.
	 *
	 * @param content of the pack as something came with it. Default: what the pack has now
	 */
	async packDirectory(ref: string, content: string | null = null): Promise<string | undefined> {
		if (content !== null) return this.#parts.content.directory(ref, content);
		this.#forgetOld();
		const place = await readOnce(this.#places, ref, { read: () => this.#readPlace(ref) });
		if (place?.content) return this.#parts.content.directory(ref, place.content);
		return place?.path ?? undefined;
	}

	/** Whether an operator has left the runner type enabled. */
	isRunnerEnabled(name: string): Promise<boolean> {
		this.#forgetOld();
		return readOnce(this.#enabled, name, { read: () => this.#readEnabled(name) });
	}

	/** Packs, actions or runner types have changed: every node forgets what it has read of them. */
	invalidate(): void {
		this.#parts.changes.changed();
	}

	/** Make the stored runner types say what the configured runners are. `enabled` stays what operators set. */
	async registerRunnerTypes(runners: ReadonlyMap<string, Runner>): Promise<void> {
		const { storage, clock } = this.#parts;
		for (const [name, runner] of runners) {
			const fields = {
				description: runner.description,
				runner_module: name,
				output_key: runner.outputKey ?? null,
				runner_parameters: runner.parameters,
			};
			const [known] = await storage.find("runner_type", { where: { name }, limit: 1 });
			if (known !== undefined) await storage.update("runner_type", known.id, fields);
			else await insertOnce(() => storage.insert("runner_type", [{ id: createId(clock), name, enabled: true, ...fields }]));
		}
	}

	#forget(): void {
		this.#keptSince = performance.now();
		this.#resolved.clear();
		this.#places.clear();
		this.#enabled.clear();
	}

	/** Where several processes change actions, only the storage knows what there is. */
	#forgetOld(): void {
		if (this.#parts.storage.capabilities.shared === true && performance.now() - this.#keptSince > maximumAge) this.#forget();
	}

	async #readPlace(ref: string): Promise<PackPlace | undefined> {
		const [pack] = await this.#parts.storage.find("pack", { where: { ref }, fields: ["path", "content"], limit: 1 });
		return pack;
	}

	async #readEnabled(name: string): Promise<boolean> {
		const [type] = await this.#parts.storage.find("runner_type", { where: { name }, fields: ["enabled"], limit: 1 });
		return type?.enabled === true;
	}

	async #read(ref: string): Promise<ResolvedAction | undefined> {
		const { storage, logger } = this.#parts;
		const [action] = await storage.find("action", { where: { ref }, limit: 1 });
		if (action === undefined) return undefined;
		const [runnerType] = await storage.find("runner_type", { where: { name: action.runner_type }, limit: 1 });
		if (runnerType === undefined) {
			logger.warn("action needs a runner type that is not registered", { action: ref, runner_type: action.runner_type });
			return undefined;
		}
		const snapshot = toSnapshot(action, runnerType);
		await this.#snapshots.store(snapshot);
		return { action, runnerType, snapshot };
	}
}
