import { createHash } from "node:crypto";
import type { ActionEntity, Clock, Logger, Runner, RunnerTypeEntity, SnapshotEntity, Storage } from "../../contract/index.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-once.ts";
import type { ChangeFeed } from "../work/change-feed.ts";

/** Everything needed to submit or run an action. */
export interface ResolvedAction {
	readonly action: ActionEntity;
	readonly runnerType: RunnerTypeEntity;
	/** Already in storage. */
	readonly snapshot: SnapshotEntity;
}

/** Knows actions, runner types and packs; the storage is the truth, this keeps what is read often. */
export interface Catalog {
	/** Action with its runner type, or undefined when there is no such action. */
	resolve(ref: string): Promise<ResolvedAction | undefined>;
	/** Action and runner type as they were when an execution was created. */
	snapshot(id: string): Promise<SnapshotEntity>;
	/** Directory of a pack; undefined when it has none. */
	packDirectory(ref: string): Promise<string | undefined>;
	/** Whether an operator has left the runner type enabled. */
	isRunnerEnabled(name: string): Promise<boolean>;
	/** Packs, actions or runner types have changed: every node forgets what it has read of them. */
	invalidate(): void;
	/** Make the stored runner types say what the configured runners are. `enabled` stays what operators set. */
	registerRunnerTypes(runners: ReadonlyMap<string, Runner>): Promise<void>;
}

/** Snapshots kept in memory; each is a few kilobytes. */
const snapshotLimit = 2_000;
/** Milliseconds for which another node's change may go unnoticed when its event is lost. */
const maximumAge = 1_000;

export function createCatalog({
	storage,
	clock,
	logger,
	changes,
}: {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly changes: Pick<ChangeFeed, "onChange" | "changed">;
}): Catalog {
	const resolved = new Map<string, Promise<ResolvedAction | undefined>>();
	const snapshots = new Map<string, SnapshotEntity>();
	const directories = new Map<string, string | undefined>();
	const enabled = new Map<string, boolean>();

	let keptSince = performance.now();
	changes.onChange(forget);

	function forget(): void {
		keptSince = performance.now();
		resolved.clear();
		directories.clear();
		enabled.clear();
	}

	/** Where several processes change actions, only the storage knows what there is. */
	function forgetOld(): void {
		if (storage.capabilities.shared === true && performance.now() - keptSince > maximumAge) forget();
	}

	function remember(snapshot: SnapshotEntity): void {
		if (snapshots.size >= snapshotLimit) {
			const [oldest] = snapshots.keys();
			if (oldest !== undefined) snapshots.delete(oldest);
		}
		snapshots.set(snapshot.id, snapshot);
	}

	async function store(snapshot: SnapshotEntity): Promise<void> {
		// Also what is known already: it may have been removed when nothing referred to it. The id is derived from the
		// content, so what is there is the same.
		if ((await storage.get("snapshot", snapshot.id)) === undefined) {
			await storage.insert("snapshot", [snapshot]).catch(async (error: unknown) => {
				if ((await storage.get("snapshot", snapshot.id)) === undefined) throw error;
			});
		}
		remember(snapshot);
	}

	async function read(ref: string): Promise<ResolvedAction | undefined> {
		const [action] = await storage.find("action", { where: { ref }, limit: 1 });
		if (action === undefined) return undefined;
		const [runnerType] = await storage.find("runner_type", { where: { name: action.runner_type }, limit: 1 });
		if (runnerType === undefined) {
			logger.warn("action needs a runner type that is not registered", { action: ref, runner_type: action.runner_type });
			return undefined;
		}
		const snapshot = toSnapshot(action, runnerType);
		await store(snapshot);
		return { action, runnerType, snapshot };
	}

	return {
		resolve(ref) {
			forgetOld();
			const known = resolved.get(ref);
			if (known !== undefined) return known;
			const reading = read(ref).then(
				(found) => {
					// Names that do not exist are not kept: callers choose them freely.
					if (found === undefined && resolved.get(ref) === reading) resolved.delete(ref);
					return found;
				},
				(error: unknown) => {
					if (resolved.get(ref) === reading) resolved.delete(ref);
					throw error;
				},
			);
			resolved.set(ref, reading);
			return reading;
		},
		async snapshot(id) {
			const known = snapshots.get(id);
			if (known !== undefined) return known;
			const found = await storage.get("snapshot", id);
			if (found === undefined) throw new Error(`snapshot "${id}" is missing`);
			remember(found);
			return found;
		},
		async packDirectory(ref) {
			forgetOld();
			if (!directories.has(ref)) {
				const [pack] = await storage.find("pack", { where: { ref }, fields: ["path"], limit: 1 });
				directories.set(ref, pack?.path ?? undefined);
			}
			return directories.get(ref);
		},
		async isRunnerEnabled(name) {
			forgetOld();
			const known = enabled.get(name);
			if (known !== undefined) return known;
			const [type] = await storage.find("runner_type", { where: { name }, fields: ["enabled"], limit: 1 });
			enabled.set(name, type?.enabled === true);
			return type?.enabled === true;
		},
		invalidate: () => changes.changed(),
		async registerRunnerTypes(runners) {
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
		},
	};
}

/** What an execution of this action refers to. */
export function toSnapshot(action: ActionEntity, runner: RunnerTypeEntity): SnapshotEntity {
	const content = JSON.stringify([action, runner]);
	return { id: createHash("sha256").update(content).digest("hex").slice(0, 24), action, runner };
}
