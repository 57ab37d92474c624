import type { OutputType } from "../../../contract/index.ts";
import type { OutputChunk, SharedChunks } from "../../executions/executions-api.ts";
import { isCompleted } from "../../executions/status.ts";
import type { OutputFeed } from "./chunk-notifications.ts";
import type { FollowerTurns } from "./fan-out-pacing.ts";
import type { FollowedExecution, FollowedOutput } from "./output-hub.ts";

export interface FollowerOptions {
	readonly type?: OutputType;
	/** Highest sequence that is not wanted. */
	readonly after?: number;
	/** Ends it. */
	readonly signal: AbortSignal;
}

export interface FollowerParts {
	readonly followed: FollowedOutput;
	readonly turns: FollowerTurns;
}

type Result = IteratorResult<OutputChunk, undefined>;

const over: Result = { done: true, value: undefined };

/**
 * One reader of the output of an execution. The order of looks is what makes it free of gaps and repeats: subscribe, read the status, read
 * what is stored. A chunk is stored before it is published and before the status becomes final. Holds what its reader is busy with.
 *
 * Who has read everything waits as an entry of the feed and nothing else, and is given what is new by whoever tells of it: with hundreds who
 * follow a run, each promise and timer between the two would be felt. `next` must not be called again before it has resolved.
 */
export class OutputFollower implements SharedChunks {
	readonly #parts: FollowerParts;
	readonly #executionId: string;
	readonly #type: OutputType | undefined;
	readonly #signal: AbortSignal;
	/** Sequence of what was read last. */
	#last: number;
	#held: OutputChunk[] = [];
	#feed: OutputFeed | undefined;
	#execution: FollowedExecution | undefined;
	/** What the feed knew when the execution was read, and whether it is to be read again all the same. */
	#news = 0;
	#isOld = false;
	/** Nothing is looked for in the storage that the feed would have told of: a flood has it told many times a second. */
	#mayBeStored = true;
	/** What it does when it is woken. */
	#go: (() => void) | undefined;
	#isOver = false;

	constructor(parts: FollowerParts, executionId: string, { type, after = 0, signal }: FollowerOptions) {
		this.#parts = parts;
		this.#executionId = executionId;
		this.#type = type;
		this.#last = after;
		this.#signal = signal;
		if (signal.aborted) this.#isOver = true;
		else signal.addEventListener("abort", this.#end, { once: true });
	}

	next(): Promise<Result> {
		this.#letGo();
		const chunk = this.#takeRecent();
		if (chunk !== undefined) return this.#inTurn(chunk);
		return this.#canWait() ? this.#wait() : this.#look();
	}

	get isAlone(): boolean {
		return this.#parts.followed.countFollowers(this.#executionId) === 1;
	}

	/** Whether or not the feed has told of it: it is at hand because it is stored. */
	takeAtHand(): OutputChunk | undefined {
		while (this.#feed !== undefined && !this.#isOver) {
			const chunk = this.#parts.followed.takeRecent(this.#executionId, this.#last + 1);
			if (chunk === undefined || this.#accept(chunk)) return chunk;
		}
		return undefined;
	}

	async return(): Promise<Result> {
		this.#end();
		return over;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	/** The feed has told of something; or, `isOld`, it has not for long, and may have missed something. */
	wake(isOld: boolean): void {
		this.#isOld ||= isOld;
		const go = this.#go;
		this.#go = undefined;
		go?.();
	}

	/** The next chunk, where the feed has told of it and it is still at hand. */
	#takeRecent(): OutputChunk | undefined {
		return this.#feed !== undefined && this.#feed.told > this.#last ? this.takeAtHand() : undefined;
	}

	/** Whether what was read is to be given out. */
	#accept(chunk: OutputChunk): boolean {
		this.#last = chunk.sequence;
		const isWanted = this.#type === undefined || chunk.output_type === this.#type;
		if (isWanted) this.#held.push(chunk);
		else this.#parts.followed.letGo(chunk);
		return isWanted;
	}

	#inTurn(chunk: OutputChunk): Promise<Result> {
		return new Promise((resolve) => this.#giveInTurn(chunk, resolve));
	}

	#giveInTurn(chunk: OutputChunk, give: (result: Result) => void): void {
		this.#parts.turns.take(() => give(this.#isOver ? over : { done: false, value: chunk }));
	}

	/** Whether there is nothing to be read before the feed tells of something. */
	#canWait(): boolean {
		const feed = this.#feed;
		if (feed === undefined || this.#execution === undefined || this.#isOver || this.#mayBeStored || this.#isOld) return false;
		return feed.told <= this.#last && feed.news === this.#news && !isCompleted(this.#execution.status) && feed.failure === undefined;
	}

	#wait(): Promise<Result> {
		return new Promise((resolve) => {
			const go = () => {
				const chunk = this.#takeRecent();
				if (chunk !== undefined) this.#giveInTurn(chunk, resolve);
				else if (this.#canWait()) this.#rest(go);
				else resolve(this.#look());
			};
			this.#rest(go);
		});
	}

	#rest(go: () => void): void {
		this.#go = go;
		this.#feed?.add(this);
	}

	/** The next chunk, wherever it is. */
	async #look(): Promise<Result> {
		try {
			const chunk = await this.#search();
			if (chunk !== undefined) return this.#inTurn(chunk);
		} catch (error) {
			this.#end();
			throw error;
		}
		this.#end();
		return over;
	}

	/** Undefined: none will come. */
	async #search(): Promise<OutputChunk | undefined> {
		const feed = await this.#open();
		while (feed !== undefined && !this.#isOver) {
			const { version } = feed;
			const execution = this.#execution ?? (await this.#readExecution(feed));
			const chunk = await this.#find(feed, execution);
			if (chunk !== undefined) return chunk;
			if (isCompleted(execution.status)) return undefined;
			if (this.#isOld || feed.news !== this.#news) this.#execution = undefined;
			else if (feed.failure !== undefined) throw feed.failure.error;
			else if (feed.version === version) await new Promise<void>((resolve) => this.#rest(resolve));
		}
		return undefined;
	}

	async #open(): Promise<OutputFeed | undefined> {
		if (this.#feed !== undefined || this.#isOver) return this.#feed;
		const feed = await this.#parts.followed.hold(this.#executionId);
		if (this.#isOver) this.#parts.followed.release(this.#executionId, feed);
		else this.#feed = feed;
		return this.#feed;
	}

	async #readExecution(feed: OutputFeed): Promise<FollowedExecution> {
		this.#news = feed.news;
		this.#isOld = false;
		const execution = await this.#parts.followed.readExecution(this.#executionId);
		this.#execution = execution;
		this.#mayBeStored = true;
		return execution;
	}

	async #find(feed: OutputFeed, execution: FollowedExecution): Promise<OutputChunk | undefined> {
		const { followed } = this.#parts;
		while (!this.#isOver && (this.#mayBeStored || feed.told > this.#last)) {
			const chunk = await followed.next(this.#executionId, this.#last, execution);
			if (chunk === undefined) break;
			if (this.#isOver) followed.letGo(chunk);
			else if (this.#accept(chunk)) return chunk;
		}
		this.#mayBeStored = false;
		return undefined;
	}

	#letGo(): void {
		for (const chunk of this.#held) this.#parts.followed.letGo(chunk);
		this.#held = [];
	}

	readonly #end = (): void => {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#signal.removeEventListener("abort", this.#end);
		this.#letGo();
		this.#feed?.delete(this);
		if (this.#feed !== undefined) this.#parts.followed.release(this.#executionId, this.#feed);
		this.wake(false);
	};
}
