import { createHash } from "node:crypto";
import { type ActionEntity, type RunnerTypeEntity, type SnapshotEntity, type Storage, stringifyJson } from "../../contract/index.ts";

/** Snapshots kept in memory; each is a few kilobytes. */
const snapshotLimit = 2_000;

/** Actions and runner types as executions refer to them. What is stored never changes, so it is kept as long as there is room. */
export class Snapshots {
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
