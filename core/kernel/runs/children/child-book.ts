import {
	type Child,
	type ExecutionEntity,
	isSvcError,
	type Logger,
	type Options,
	type Storage,
	SvcError,
	type Where,
} from "../../../contract/index.ts";
import { createAbortWatch } from "../../basics/abort-watch.ts";
import { isCompleted } from "../../executions/status.ts";
import { outlastOutage } from "../../work/outage.ts";
import { childFields, type StoredChild, toChild } from "./child-record.ts";

/** Poll intervals after which the storage is looked at, in case the bus has lost something. */
const longestSilence = 5;

export interface ChildBookParts {
	readonly storage: Pick<Storage, "find">;
	readonly logger: Logger;
	readonly options: Pick<Options, "scheduler">;
	readonly parentId: string;
	/** Have the book noted what happens from now on, until it is closed. */
	readonly follow: () => Promise<void>;
	/** Somebody begins to wait for something in it, or nobody does any more. */
	readonly onWaiting: (isWaiting: boolean) => void;
}

interface Entry {
	readonly child: Child;
	/** States it has been in: of two readings the one with more is the later one. */
	readonly age: number;
}

/** Those who iterate: what has not been told them yet. */
interface Reader {
	readonly untold: Set<string>;
	wake(): void;
}

const aborts = createAbortWatch();

/** What a run knows of its children, by events and by looking; tells those who wait. */
export class ChildBook {
	readonly #parts: ChildBookParts;
	readonly #entries = new Map<string, Entry>();
	readonly #readers = new Set<Reader>();
	/** As how old the runner knows a child, by its id. */
	readonly #told = new Map<string, number>();
	/** Who waits for the end of one, by its id. */
	readonly #waiting = new Map<string, Set<() => void>>();
	#waits = 0;
	#begun: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(parts: ChildBookParts) {
		this.#parts = parts;
	}

	/** A child as it was stored at some time; what is older than what is known is passed over. */
	note(stored: StoredChild): void {
		const age = stored.log.length;
		if ((this.#entries.get(stored.id)?.age ?? 0) >= age || this.#isClosed) return;
		this.#entries.set(stored.id, { child: toChild(stored), age });
		for (const reader of this.#readers) {
			reader.untold.add(stored.id);
			reader.wake();
		}
		if (isCompleted(stored.status)) for (const wake of this.#waiting.get(stored.id) ?? []) wake();
	}

	/** What the runner is told of a child that has just been read. */
	tell(stored: StoredChild): Child {
		this.note(stored);
		this.#noteTold(stored.id, stored.log.length);
		return toChild(stored);
	}

	/** Children that had not ended when the runner was last told of them. */
	toldOpen(): readonly string[] {
		// What has ended is told as such, or its end is not known here yet.
		return [...this.#told].filter(([id, age]) => !this.#isEnd(id, age)).map(([id]) => id);
	}

	/** Whether a child has come further than the runner was told. */
	isNews({ id, log }: StoredChild): boolean {
		return log.length > (this.#told.get(id) ?? log.length);
	}

	knows(id: string): boolean {
		return this.#entries.has(id);
	}

	/** Events may have been missed. */
	lookAgain(): void {
		if (this.#begun === undefined || this.#isClosed) return;
		this.#look()
			.catch((error: unknown) => this.#parts.logger.warn("children were not looked for", { execution_id: this.#parts.parentId, error }))
			.finally(() => this.#plan());
	}

	/** The run is over: nobody waits any longer. */
	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		for (const reader of this.#readers) reader.wake();
		for (const wakes of this.#waiting.values()) for (const wake of wakes) wake();
	}

	/** The child once it has ended. It must have been noted. */
	async ended(id: string, signal: AbortSignal): Promise<Child> {
		await this.#begin();
		for (;;) {
			const child = this.#entries.get(id)?.child;
			if (child?.hasEnded) {
				this.#noteTold(id, this.#entries.get(id)?.age ?? 0);
				return child;
			}
			signal.throwIfAborted();
			if (this.#isClosed) throw new SvcError("SVC_CONFLICT", `execution "${this.#parts.parentId}" is no longer this run's`);
			await this.#wait(signal, (wake) => {
				const wakes = this.#waiting.get(id) ?? new Set();
				this.#waiting.set(id, wakes.add(wake));
				return () => {
					if (wakes.delete(wake) && wakes.size === 0) this.#waiting.delete(id);
				};
			});
		}
	}

	async *changes(signal: AbortSignal): AsyncGenerator<Child> {
		await this.#begin();
		const reader: Reader = { untold: new Set(this.#entries.keys()), wake() {} };
		this.#readers.add(reader);
		try {
			while (!signal.aborted && !this.#isClosed) {
				const [next] = reader.untold;
				if (next === undefined) {
					await this.#wait(signal, (wake) => {
						reader.wake = wake;
						return () => {};
					});
					continue;
				}
				reader.untold.delete(next);
				const entry = this.#entries.get(next);
				if (entry === undefined) continue;
				this.#noteTold(next, entry.age);
				yield entry.child;
			}
		} finally {
			this.#readers.delete(reader);
		}
	}

	#noteTold(id: string, age: number): void {
		this.#told.set(id, Math.max(age, this.#told.get(id) ?? 0));
	}

	#isEnd(id: string, age: number): boolean {
		const known = this.#entries.get(id);
		return known !== undefined && known.age <= age && known.child.hasEnded;
	}

	/** Resolves when what `arrange` was given is called, or the signal aborts. */
	async #wait(signal: AbortSignal, arrange: (wake: () => void) => () => void): Promise<void> {
		if (this.#waits++ === 0) this.#parts.onWaiting(true);
		const undo: (() => void)[] = [];
		await new Promise<void>((resolve) => undo.push(arrange(resolve), aborts.add(signal, resolve)));
		for (const step of undo) step();
		if (--this.#waits === 0) this.#parts.onWaiting(false);
	}

	/** The first look is at all that there are, so that what has happened before anybody asked is known. */
	#begin(): Promise<void> {
		this.#begun ??= this.#follow().catch((error: unknown) => {
			this.#begun = undefined;
			throw error;
		});
		return this.#begun;
	}

	async #follow(): Promise<void> {
		const { parentId, logger } = this.#parts;
		// A reader may begin late: nobody would end what is followed then.
		if (this.#isClosed) return;
		await this.#parts.follow();
		const look = async () => void (await this.#lookAt({ parent_id: parentId }));
		const onOutage = (error: unknown) => logger.warn("storage is away, a run waits for it", { execution_id: parentId, error });
		await outlastOutage(look, { isOver: () => this.#isClosed, onOutage });
		this.#plan();
	}

	/** Only at what has not ended, and at what has ended since the last look: there may be thousands that ended long ago. */
	async #look(): Promise<void> {
		const open = [...this.#entries.values()].filter(({ child }) => !child.hasEnded).map(({ child }) => child.id);
		try {
			const found = await this.#lookAt({ parent_id: this.#parts.parentId, end_timestamp: null });
			const missing = open.filter((id) => !found.has(id));
			if (missing.length > 0) await this.#lookAt({ parent_id: this.#parts.parentId, id: { in: missing } });
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		}
	}

	async #lookAt(where: Where<ExecutionEntity>): Promise<ReadonlySet<string>> {
		const found = await this.#parts.storage.find("execution", { where, fields: childFields, orderBy: [["start_timestamp", "asc"]] });
		for (const child of found) this.note(child);
		return new Set(found.map(({ id }) => id));
	}

	#plan(): void {
		clearTimeout(this.#timer);
		const silence = longestSilence * this.#parts.options.scheduler.poll_interval * 1_000;
		if (!this.#isClosed) this.#timer = setTimeout(() => this.lookAgain(), silence);
	}
}
