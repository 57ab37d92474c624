import { type EventBus, type ExecutionEntity, PassingMap, type Storage, SvcError } from "../../../contract/index.ts";
import { findPagedText, toPaged } from "../../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";
import { readChunkPage } from "../stored-chunks.ts";
import { RecentChunks } from "./chunk-cache.ts";
import { OutputFeed } from "./chunk-notifications.ts";

export interface FollowedOutputParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
}

/** Characters that a page read for followers should come to: much less than what is kept for all of them. */
const pageLength = 262_144;
/** More than these stand at so many places that what is read ahead is gone before somebody comes to it: they read less of it. */
const manyFollowers = 32;

interface Followed {
	readonly feed: OutputFeed;
	readonly opened: Promise<void>;
	followers: number;
	/** Pages that are being read, by the sequence they come after: who stands at the same place waits for the same one. */
	readonly pages: Map<number, Promise<OutputChunk | undefined>>;
	/** How many chunks come to a page. */
	limit: number;
}

/** Status and names of an execution whose output is followed. */
export type FollowedExecution = Pick<ExecutionEntity, "status" | "action_ref" | "runner_name">;

/** The output that is followed on this node: what its followers read, they read together. */
export class FollowedOutput {
	readonly #parts: FollowedOutputParts;
	readonly #recent = new RecentChunks();
	readonly #followed = new PassingMap<string, Followed>();

	constructor(parts: FollowedOutputParts) {
		this.#parts = parts;
	}

	/** Hold the feed of an execution, from which nothing is missed once this has resolved; `release` must be called. */
	async hold(executionId: string): Promise<OutputFeed> {
		const followed = this.#followed.get(executionId) ?? this.#open(executionId);
		followed.followers += 1;
		try {
			await followed.opened;
			return followed.feed;
		} catch (error) {
			this.release(executionId, followed.feed);
			throw error;
		}
	}

	release(executionId: string, feed: OutputFeed): void {
		const followed = this.#followed.get(executionId);
		if (followed?.feed !== feed) return;
		followed.followers -= 1;
		if (followed.followers > 0) return;
		this.#followed.delete(executionId);
		this.#recent.forget(executionId);
		feed.close();
	}

	/** How many hold the feed of an execution. */
	countFollowers(executionId: string): number {
		return this.#followed.get(executionId)?.followers ?? 0;
	}

	/** A chunk that is at hand, for somebody who lets it go by `letGo`. */
	takeRecent(executionId: string, sequence: number): OutputChunk | undefined {
		return this.#recent.take(executionId, sequence);
	}

	/**
	 * The first chunk after a sequence, for somebody who lets it go by `letGo`; undefined where none is recorded. Its execution must be held.
	 */
	async next(executionId: string, after: number, execution: FollowedExecution): Promise<OutputChunk | undefined> {
		const followed = this.#followed.get(executionId);
		const recent = this.#recent.take(executionId, after + 1);
		if (recent !== undefined || followed === undefined) return recent;
		const shared = await followed.pages.get(after);
		// One that has found nothing may have begun before what the caller knows of.
		if (shared !== undefined) return this.#recent.take(executionId, shared.sequence) ?? shared;
		const page = this.#readPage(followed, { executionId, after, execution });
		followed.pages.set(after, page);
		const forget = () => {
			if (followed.pages.get(after) === page) followed.pages.delete(after);
		};
		page.then(forget, forget);
		const first = await page;
		return first && (this.#recent.take(executionId, first.sequence) ?? first);
	}

	/** Whoever was given the chunk needs it no longer. */
	letGo(chunk: OutputChunk): void {
		this.#recent.letGo(chunk);
	}

	async readExecution(executionId: string): Promise<FollowedExecution> {
		const [entity] = await this.#parts.storage.find("execution", {
			where: { id: executionId },
			fields: ["status", "action_ref", "runner_name"],
		});
		if (entity === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${executionId}" cannot be found`);
		return entity;
	}

	#open(executionId: string): Followed {
		const feed = new OutputFeed({
			eventBus: this.#parts.eventBus,
			executionId,
			onChunk: (chunk) => this.#share(followed, chunk),
		});
		const followed: Followed = { feed, opened: feed.open(), followers: 0, pages: new Map(), limit: 8 };
		this.#followed.set(executionId, followed);
		return followed;
	}

	/** The first chunk of a page as it is stored, which all of it is known by. */
	async #readPage(
		followed: Followed,
		{ executionId, after, execution }: { readonly executionId: string; readonly after: number; readonly execution: FollowedExecution },
	): Promise<OutputChunk | undefined> {
		const { action_ref, runner_name: runner_ref } = execution;
		const page = await readChunkPage(this.#parts.storage, executionId, { after, limit: followed.limit });
		const length = page.reduce((sum, chunk) => sum + chunk.data.length, 0);
		const wanted = followed.followers > manyFollowers ? pageLength / 4 : pageLength;
		followed.limit = Math.max(1, Math.min(500, Math.floor((wanted * page.length) / (length + 1)) || 8));
		// Nobody else has what was read: it need not be copied to be told more of.
		const chunks = page.map((chunk) => Object.assign(chunk, { action_ref, runner_ref }));
		for (const chunk of chunks) this.#share(followed, chunk);
		return chunks[0];
	}

	/** The chunk for all who follow its execution. What comes after the last of them has gone is shared with nobody. */
	#share(followed: Followed, chunk: OutputChunk): void {
		if (this.#followed.get(chunk.execution_id) !== followed) return;
		// Strings push out all else, as those of the last write of a run would: then each who is behind reads it again for itself.
		const paged = findPagedText(chunk) === undefined ? toPaged(chunk) : undefined;
		this.#recent.add(paged ?? chunk, followed.followers > manyFollowers ? "many" : "few");
		if (paged !== undefined) findPagedText(paged)?.release();
	}
}
