import { type ExecutionEntity, HighChurnMap, SvcError } from "../../../contract/index.ts";
import { findPooledText, toPooled } from "../../../lib/bytes/pooled-text.ts";
import type { Uses } from "../../basics/engine-parts.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";
import { readChunkPage } from "../stored-chunk-queries.ts";
import { ChunkCache } from "./chunk-cache.ts";
import { OutputNotifier } from "./output-notifier.ts";

export type OutputHubDependencies = Uses<"storage" | "eventBus">;

/**
 * Target number of characters in a page that is read for followers. Less than half of the capacity of the cache, which all executions
 * share.
 */
const pageLength = 262_144;
/**
 * Number of followers above which pages are smaller: many followers read at different positions, so chunks that were read ahead would be
 * evicted before they are used. Chunks are then also cached at the cost for many followers.
 */
const manyFollowers = 32;

/** Shared state of an execution whose output is followed. */
interface FollowedEntry {
	readonly notifications: OutputNotifier;
	readonly opened: Promise<void>;
	followers: number;
	/** Pages that are being read, by the sequence number after which they begin. Followers at the same position wait for the same page. */
	readonly pages: Map<number, Promise<OutputChunk | undefined>>;
	/** Maximum number of chunks to read for a page. Adapts to the size of the chunks. */
	limit: number;
}

/** Status and names of an execution whose output is followed. */
export type FollowedExecution = Pick<ExecutionEntity, "status" | "action_ref" | "runner_name">;

/**
 * Live output of the executions that are followed on this node. Followers of one execution share its event subscription, the pages read
 * from the storage, and the chunk objects. So memory, queries and events do not grow with the number of followers.
 *
 * Each followed execution has one entry, which is in one of these states:
 *
 * - Opening: the first call of `subscribe` subscribes to the event bus. Further calls wait for the same subscription. If the subscription
 *   fails, all these calls reject, and the last of them removes the entry.
 * - Open: every chunk that is published in this state is noticed. The followers still read everything from the cache or the storage; an
 *   event only wakes them to read.
 * - Closed: the last follower has unsubscribed. The subscription ends, and the cached chunks of the execution are removed. A later
 *   call of `subscribe` creates a new entry. A call of `unsubscribe` for an old entry does nothing.
 *
 * Events add chunks to the cache while the publisher still holds their pooled text. Pages that were read for lagging followers are added as
 * well. Only stored chunks are published, so every cached chunk is stored. A chunk of a closed entry is not cached, because nothing would
 * remove it.
 *
 * What may happen at the same time:
 *
 * - Several followers may request the same page. They wait for one query. If the query finds nothing, a follower that waited for it reads
 *   again: the query may have begun before the announced chunk was stored.
 * - A chunk may be evicted before all followers have read it. They then read it from the storage.
 * - A slow follower holds its chunk until it releases the chunk to the cache. The chunk stays valid, even after eviction, and delays no
 *   other follower.
 */
export class OutputHub {
	readonly #parts: OutputHubDependencies;
	/** Recent chunks, all of them stored. */
	readonly cache = new ChunkCache();
	readonly #entries = new HighChurnMap<string, FollowedEntry>();

	constructor(parts: OutputHubDependencies) {
		this.#parts = parts;
	}

	/** Returns the notifications of an execution once no later event can be missed. The caller must call `unsubscribe`. */
	async subscribe(executionId: string): Promise<OutputNotifier> {
		const entry = this.#entries.get(executionId) ?? this.#open(executionId);
		entry.followers += 1;
		try {
			await entry.opened;
			return entry.notifications;
		} catch (error) {
			this.unsubscribe(executionId, entry.notifications);
			throw error;
		}
	}

	/** Releases the notifications of an execution. The last release ends the subscription. */
	unsubscribe(executionId: string, notifications: OutputNotifier): void {
		const entry = this.#entries.get(executionId);
		if (entry?.notifications !== notifications) return;
		entry.followers -= 1;
		if (entry.followers > 0) return;
		this.#entries.delete(executionId);
		this.cache.forget(executionId);
		notifications.close();
	}

	/** Returns the number of followers of an execution. */
	countFollowers(executionId: string): number {
		return this.#entries.get(executionId)?.followers ?? 0;
	}

	/**
	 * Returns the first chunk after a sequence number, which the caller must release to the cache; undefined if no such chunk is stored.
	 * The caller must have called `subscribe` for the execution.
	 */
	async readNext(executionId: string, after: number, execution: FollowedExecution): Promise<OutputChunk | undefined> {
		const entry = this.#entries.get(executionId);
		const cachedChunk = this.cache.take(executionId, after + 1);
		if (cachedChunk !== undefined || entry === undefined) return cachedChunk;
		const sharedChunk = await entry.pages.get(after);
		// If the shared query found nothing, read again: it may have begun before the announced chunk was stored.
		if (sharedChunk !== undefined) return this.cache.take(executionId, sharedChunk.sequence) ?? sharedChunk;
		const page = this.#readPage(entry, { executionId, after, execution });
		entry.pages.set(after, page);
		const forgetPage = () => {
			if (entry.pages.get(after) === page) entry.pages.delete(after);
		};
		page.then(forgetPage, forgetPage);
		const first = await page;
		return first && (this.cache.take(executionId, first.sequence) ?? first);
	}

	/** Reads status and names of an execution. Throws `SVC_NOT_FOUND` if it does not exist. */
	async readExecution(executionId: string): Promise<FollowedExecution> {
		const [execution] = await this.#parts.storage.find("execution", {
			where: { id: executionId },
			fields: ["status", "action_ref", "runner_name"],
		});
		if (execution === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${executionId}" cannot be found`);
		return execution;
	}

	#open(executionId: string): FollowedEntry {
		const notifications = new OutputNotifier({
			eventBus: this.#parts.eventBus,
			executionId,
			onChunk: (chunk) => this.#addToCache(entry, chunk),
		});
		const entry: FollowedEntry = { notifications, opened: notifications.open(), followers: 0, pages: new Map(), limit: 8 };
		this.#entries.set(executionId, entry);
		return entry;
	}

	/** Reads a page of stored chunks into the cache. Returns its first chunk; undefined if there is none. */
	async #readPage(
		entry: FollowedEntry,
		{ executionId, after, execution }: { readonly executionId: string; readonly after: number; readonly execution: FollowedExecution },
	): Promise<OutputChunk | undefined> {
		const { action_ref, runner_name: runner_ref } = execution;
		const page = await readChunkPage(this.#parts.storage, executionId, { after, limit: entry.limit });
		const length = page.reduce((sum, chunk) => sum + chunk.data.length, 0);
		const targetLength = entry.followers > manyFollowers ? pageLength / 4 : pageLength;
		entry.limit = Math.max(1, Math.min(500, Math.floor((targetLength * page.length) / (length + 1)) || 8));
		// No other code uses these records, so the refs are added without copying them.
		const chunks = page.map((chunk) => Object.assign(chunk, { action_ref, runner_ref }));
		for (const chunk of chunks) this.#addToCache(entry, chunk);
		return chunks[0];
	}

	/** Adds a chunk to the cache, unless the entry is closed. */
	#addToCache(entry: FollowedEntry, chunk: OutputChunk): void {
		if (this.#entries.get(chunk.execution_id) !== entry) return;
		// Convert long strings, such as those of the last write of a run, to pooled text. As strings they would evict all other chunks, which
		// each lagging follower would then read from the storage again.
		const paged = findPooledText(chunk) === undefined ? toPooled(chunk) : undefined;
		this.cache.add(paged ?? chunk, entry.followers > manyFollowers ? "many" : "few");
		if (paged !== undefined) findPooledText(paged)?.release();
	}
}
