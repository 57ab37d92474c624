import { createHash } from "node:crypto";
import {
	type ActionEntity,
	type ActionSignature,
	type Clock,
	type Logger,
	type PackEntity,
	type Runner,
	type RunnerTypeEntity,
	type SnapshotEntity,
	type Storage,
	SvcError,
	stringifyJson,
} from "../../contract/index.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { readOnce } from "../../lib/single-flight.ts";
import { maskDefaults } from "../../secrets/default-masking.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import type { ChangeFeed } from "../coordination/change-feed.ts";

/** Everything needed to submit or run an action. */
export interface ResolvedAction {
	readonly action: ActionEntity;
	readonly runnerType: RunnerTypeEntity;
	/** Already in storage. */
	readonly snapshot: SnapshotEntity;
}

interface CatalogParts {
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

/** Snapshots kept in memory; each is a few kilobytes. */
const snapshotLimit = 2_000;

/** Actions and runner types as executions refer to them. What is stored never changes, so it is kept as long as there is room. */
class Snapshots {
	readonly #storage: Storage;
	readonly #kept = new Map<string, SnapshotEntity>();

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	/** What is at hand already. */
	known(id: string): SnapshotEntity | undefined {
		return this.#kept.get(id);
	}

	async get(id: string): Promise<SnapshotEntity> {
		const known = this.#kept.get(id);
		if (known !== undefined) return known;
		const found = await this.#storage.get("snapshot", id);
		if (found === undefined) throw new Error(`snapshot "${id}" is missing`);
		this.#keep(found);
		return found;
	}

	async store(snapshot: SnapshotEntity): Promise<void> {
		// Also what is known already: it may have been removed when nothing referred to it. The id is derived from the
		// content, so what is there is the same.
		if ((await this.#storage.get("snapshot", snapshot.id)) === undefined) {
			await this.#storage.insert("snapshot", [snapshot]).catch(async (error: unknown) => {
				if ((await this.#storage.get("snapshot", snapshot.id)) === undefined) throw error;
			});
		}
		this.#keep(snapshot);
	}

	#keep(snapshot: SnapshotEntity): void {
		if (this.#kept.size >= snapshotLimit) {
			const [oldest] = this.#kept.keys();
			if (oldest !== undefined) this.#kept.delete(oldest);
		}
		this.#kept.set(snapshot.id, snapshot);
	}
}

/** What an execution of this action refers to. */
export function toSnapshot(action: ActionEntity, runner: RunnerTypeEntity): SnapshotEntity {
	const content = stringifyJson([action, runner]);
	return { id: createHash("sha256").update(content).digest("hex").slice(0, 24), action, runner };
}

/** Lays out on this node what the storage keeps. */
export interface ContentSource {
	/**
	 * Absolute path of a directory with the content of a pack: complete, and never changed afterwards. It stays as long as an execution may
	 * need it. `SVC_RUNNER` where there is no such content any more.
	 */
	directory(pack: string, content: string): Promise<string>;
}

/** Where no feature keeps any. */
export const noContent: ContentSource = {
	async directory(pack) {
		throw new SvcError("SVC_RUNNER", `pack "${pack}" was installed, and nothing here keeps installed packs`);
	},
};

/** What must be known of an action that a definition names; undefined when there is none. Without secret defaults, as a finding may quote what a parameter allows. */
export async function findSignature(catalog: Pick<Catalog, "resolve">, ref: string): Promise<ActionSignature | undefined> {
	const found = await catalog.resolve(ref);
	if (found === undefined) return undefined;
	return toSignature(found.action, found.runnerType);
}

export function toSignature(
	{ ref, enabled, parameters }: Pick<ActionEntity, "ref" | "enabled" | "parameters">,
	{ runner_parameters }: Pick<RunnerTypeEntity, "runner_parameters">,
): ActionSignature {
	return { ref, enabled, parameters: maskDefaults(mergeSchemas(runner_parameters, parameters)) };
}
