import { isSvcError, type PackContentEntity } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { completedStatuses } from "../../../kernel/executions/status.ts";

type UnusedContentsDependencies = Uses<"storage" | "clock" | "logger">;

/**
 * Microseconds before content is removed: 1 hour after its last use and, again, 1 hour after it was found unreferenced. A running
 * installation may refer to it later, and a node may still submit executions from a pack record that it read earlier.
 */
const grace = 3_600_000_000;

export class UnusedContents {
	readonly #parts: UnusedContentsDependencies;
	/** Time in microseconds at which content was first found unreferenced, by content id. */
	readonly #since = new Map<string, number>();

	constructor(parts: UnusedContentsDependencies) {
		this.#parts = parts;
	}

	/** Removes unused content until the signal aborts. Returns how many contents were removed. */
	async collect(signal: AbortSignal): Promise<number> {
		const { storage, clock, logger } = this.#parts;
		const now = clock.now();
		const aged = await storage.find("pack_content", {
			where: { used_at: { lt: toTimestamp(now - grace) } },
			fields: ["used_at", "pack", "complete"],
		});
		const needed = aged.length === 0 ? new Set() : await this.#findNeeded();
		const unused = aged.filter(({ id }) => !needed.has(id));
		for (const id of [...this.#since.keys()]) if (!unused.some((content) => content.id === id)) this.#since.delete(id);
		let removed = 0;
		for (const content of unused) {
			if (signal.aborted) return removed;
			const since = this.#since.get(content.id) ?? now;
			this.#since.set(content.id, since);
			// Nothing can refer to incomplete content, so it is removed without the second waiting period.
			if ((content.complete && now - since < grace) || !(await this.#remove(content))) continue;
			removed += 1;
			logger.info("unused pack content removed", { pack: content.pack, content: content.id, used_at: content.used_at });
		}
		return removed;
	}

	/** Returns true if the content was removed, and false if it was stored again or referenced since it was read. */
	async #remove({ id, used_at }: Pick<PackContentEntity, "id" | "used_at">): Promise<boolean> {
		try {
			await this.#parts.storage.write([
				{ update: "pack_content", id, patch: {}, expected: { used_at } },
				{ remove: "pack_content_chunk", where: { content: id } },
				{ remove: "pack_content", where: { id } },
			]);
			return true;
		} catch (error) {
			if (isSvcError(error, "SVC_CONFLICT")) return false;
			throw error;
		} finally {
			this.#since.delete(id);
		}
	}

	async #findNeeded(): Promise<ReadonlySet<unknown>> {
		const { storage } = this.#parts;
		const packs = await storage.find("pack", { fields: ["content", "earlier"] });
		const needed = new Set<unknown>(packs.flatMap(({ content, earlier }) => [content, ...(earlier ?? []).map((old) => old["content"])]));
		for (const kind of ["action", "sensor"] as const) for (const content of await storage.distinct(kind, "content")) needed.add(content);
		for (const content of await this.#findInExecutions()) needed.add(content);
		return needed;
	}

	/** Returns the contents that unfinished executions started with. */
	async #findInExecutions(): Promise<ReadonlySet<string>> {
		const { storage } = this.#parts;
		const found = new Set<string>();
		const statuses = (await storage.distinct("execution", "status")).filter((status) => !completedStatuses.includes(status));
		for (const status of statuses) {
			const ids = await storage.distinct("execution", "snapshot_id", { status });
			for (let start = 0; start < ids.length; start += pageSize) {
				const snapshots = await storage.find("snapshot", { where: { id: { in: ids.slice(start, start + pageSize) } }, fields: ["action"] });
				for (const { action } of snapshots) if (typeof action.content === "string") found.add(action.content);
			}
		}
		return found;
	}
}

const pageSize = 200;
