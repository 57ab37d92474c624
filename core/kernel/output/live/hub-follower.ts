import type { OutputType } from "../../../contract/index.ts";
import type { OutputAccess, OutputChunk, OutputFollower } from "../../executions/executions-api.ts";
import { isCompleted } from "../../executions/status.ts";
import type { FanOutPacing } from "./fan-out-pacing.ts";
import type { FollowedExecution, OutputHub } from "./output-hub.ts";
import type { OutputNotifier } from "./output-notifier.ts";

export type FollowerOptions = Parameters<OutputAccess["follow"]>[1];

type Result = IteratorResult<OutputChunk, undefined>;

const endResult: Result = { done: true, value: undefined };

/**
 * Follower of the output of one execution, for one client. It yields every chunk once, without gaps, because it subscribes first, then
 * reads the status, then reads stored chunks. A chunk is stored before it is published, and before the status becomes final. Chunks that
 * were returned to the caller are held until the next call of `next`.
 *
 * A follower that has read all output only waits for a notification, whose handler resolves the pending call of `next` directly. With
 * hundreds of followers of a run, further promises and timers in between would cost noticeable time.
 */
export class HubFollower implements OutputFollower {
	readonly #parts: { readonly hub: OutputHub; readonly pacing: FanOutPacing };
	readonly #executionId: string;
	readonly #type: OutputType | undefined;
	readonly #signal: AbortSignal;
	/** Sequence number of the last chunk that was read. */
	#lastSequence: number;
	/** Chunks that were returned to the caller since the last call of `next`. */
	#heldChunks: OutputChunk[] = [];
	#notifications: OutputNotifier | undefined;
	#execution: FollowedExecution | undefined;
	/** `OutputNotifier.statusVersion` at the time the execution was read last. */
	#statusVersion = 0;
	/** True if no notification has arrived for 5 s: the execution must be read again even if the counter is unchanged. */
	#mustReread = false;
	/** True while the storage may hold chunks that were not announced. Once it is false, the storage is queried only for announced chunks. */
	#hasUnannounced = true;
	/** Continues the follower after a notification; undefined unless the follower waits. */
	#resume: (() => void) | undefined;
	#hasEnded = false;

	constructor(
		parts: { readonly hub: OutputHub; readonly pacing: FanOutPacing },
		executionId: string,
		{ type, after = 0, signal }: FollowerOptions,
	) {
		this.#parts = parts;
		this.#executionId = executionId;
		this.#type = type;
		this.#lastSequence = after;
		this.#signal = signal;
		if (signal.aborted) this.#hasEnded = true;
		else signal.addEventListener("abort", this.#end, { once: true });
	}

	/** Resolves with the next chunk; `done` if the execution is final and has no more chunks, or the signal has aborted. */
	next(): Promise<Result> {
		this.#releaseHeld();
		const chunk = this.#takeAnnounced();
		if (chunk !== undefined) return this.#toPacedResult(chunk);
		return this.#canWait() ? this.#wait() : this.#readNext();
	}

	get isOnlySubscriber(): boolean {
		return this.#parts.hub.countFollowers(this.#executionId) === 1;
	}

	/**
	 * Returns the next chunk if it is cached, even if it was not announced to this follower. That is safe, because only stored chunks are
	 * cached.
	 */
	takeCached(): OutputChunk | undefined {
		while (this.#notifications !== undefined && !this.#hasEnded) {
			const chunk = this.#parts.hub.cache.take(this.#executionId, this.#lastSequence + 1);
			if (chunk === undefined || this.#accept(chunk)) return chunk;
		}
		return undefined;
	}

	async return(): Promise<Result> {
		this.#end();
		return endResult;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** Continues the follower if it waits. `isOld` is true if no notification has arrived for 5 s, so that events may have been missed. */
	wake(isOld: boolean): void {
		this.#mustReread ||= isOld;
		const resume = this.#resume;
		this.#resume = undefined;
		resume?.();
	}

	/** Returns the next chunk if it was announced and is still cached. */
	#takeAnnounced(): OutputChunk | undefined {
		return this.#notifications !== undefined && this.#notifications.lastAnnounced > this.#lastSequence ? this.takeCached() : undefined;
	}

	/** Notes a chunk as read. Returns true and holds the chunk if its type was requested; otherwise releases it. */
	#accept(chunk: OutputChunk): boolean {
		this.#lastSequence = chunk.sequence;
		const isRequested = this.#type === undefined || chunk.output_type === this.#type;
		if (isRequested) this.#heldChunks.push(chunk);
		else this.#parts.hub.cache.release(chunk);
		return isRequested;
	}

	#toPacedResult(chunk: OutputChunk): Promise<Result> {
		return new Promise((resolve) => this.#resolvePaced(chunk, resolve));
	}

	#resolvePaced(chunk: OutputChunk, resolve: (result: Result) => void): void {
		this.#parts.pacing.schedule(() => resolve(this.#hasEnded ? endResult : { done: false, value: chunk }));
	}

	/** Returns true if there is nothing to read before the next notification. */
	#canWait(): boolean {
		const notifications = this.#notifications;
		if (notifications === undefined || this.#execution === undefined || this.#hasEnded) return false;
		if (this.#hasUnannounced || this.#mustReread) return false;
		if (notifications.lastAnnounced > this.#lastSequence || notifications.statusVersion !== this.#statusVersion) return false;
		return !isCompleted(this.#execution.status) && notifications.failure === undefined;
	}

	#wait(): Promise<Result> {
		return new Promise((resolve) => {
			const resume = () => {
				const chunk = this.#takeAnnounced();
				if (chunk !== undefined) this.#resolvePaced(chunk, resolve);
				else if (this.#canWait()) this.#waitForNotification(resume);
				else resolve(this.#readNext());
			};
			this.#waitForNotification(resume);
		});
	}

	#waitForNotification(resume: () => void): void {
		this.#resume = resume;
		this.#notifications?.add(this);
	}

	async #readNext(): Promise<Result> {
		try {
			const chunk = await this.#findNext();
			if (chunk !== undefined) return this.#toPacedResult(chunk);
		} catch (error) {
			this.#end();
			throw error;
		}
		this.#end();
		return endResult;
	}

	/** Returns the next chunk, and waits for it if necessary. Returns undefined if no chunk will follow. */
	async #findNext(): Promise<OutputChunk | undefined> {
		const notifications = await this.#openNotifications();
		while (notifications !== undefined && !this.#hasEnded) {
			const { version } = notifications;
			const execution = this.#execution ?? (await this.#readExecution(notifications));
			const chunk = await this.#readStored(notifications, execution);
			if (chunk !== undefined) return chunk;
			if (isCompleted(execution.status)) return undefined;
			if (this.#mustReread || notifications.statusVersion !== this.#statusVersion) this.#execution = undefined;
			else if (notifications.failure !== undefined) throw notifications.failure.error;
			else if (notifications.version === version) await new Promise<void>((resolve) => this.#waitForNotification(resolve));
		}
		return undefined;
	}

	async #openNotifications(): Promise<OutputNotifier | undefined> {
		if (this.#notifications !== undefined || this.#hasEnded) return this.#notifications;
		const notifications = await this.#parts.hub.subscribe(this.#executionId);
		if (this.#hasEnded) this.#parts.hub.unsubscribe(this.#executionId, notifications);
		else this.#notifications = notifications;
		return this.#notifications;
	}

	async #readExecution(notifications: OutputNotifier): Promise<FollowedExecution> {
		this.#statusVersion = notifications.statusVersion;
		this.#mustReread = false;
		const execution = await this.#parts.hub.readExecution(this.#executionId);
		this.#execution = execution;
		this.#hasUnannounced = true;
		return execution;
	}

	/** Reads stored chunks until one has the requested type. Returns undefined if there is none. */
	async #readStored(notifications: OutputNotifier, execution: FollowedExecution): Promise<OutputChunk | undefined> {
		const { hub } = this.#parts;
		while (!this.#hasEnded && (this.#hasUnannounced || notifications.lastAnnounced > this.#lastSequence)) {
			const chunk = await hub.readNext(this.#executionId, this.#lastSequence, execution);
			if (chunk === undefined) break;
			if (this.#hasEnded) hub.cache.release(chunk);
			else if (this.#accept(chunk)) return chunk;
		}
		this.#hasUnannounced = false;
		return undefined;
	}

	#releaseHeld(): void {
		for (const chunk of this.#heldChunks) this.#parts.hub.cache.release(chunk);
		this.#heldChunks = [];
	}

	readonly #end = (): void => {
		if (this.#hasEnded) return;
		this.#hasEnded = true;
		this.#signal.removeEventListener("abort", this.#end);
		this.#releaseHeld();
		this.#notifications?.delete(this);
		if (this.#notifications !== undefined) this.#parts.hub.unsubscribe(this.#executionId, this.#notifications);
		this.wake(false);
	};
}
