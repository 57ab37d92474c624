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
import { createAbortWatch } from "../../../lib/abort-listeners.ts";
import { outlastOutage } from "../../../lib/retry-while-unavailable.ts";
import { type ChildReading, readChildren, type StoredChild, toReading } from "../../executions/child-record.ts";

/** Poll intervals after which the storage is looked at, in case the bus has lost something. */
const longestSilence = 5;

export interface ChildBookParts {
	readonly storage: Pick<Storage, "find" | "count">;
	readonly logger: Logger;
	readonly options: Pick<Options, "scheduler">;
	readonly parentId: string;
	/** Have the book noted what happens from now on, until it is closed. */
	readonly follow: () => Promise<void>;
	/** Somebody begins to wait for something in it, or nobody does any more. */
	readonly onWaiting: (isWaiting: boolean) => void;
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
	readonly #entries = new Map<string, ChildReading>();
	/** Ids of the entries that have not ended. */
	readonly #open = new Set<string>();
	readonly #readers = new Set<Reader>();
	/** As what the runner knows a child, by its id. */
	readonly #told = new Map<string, ChildReading>();
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
		this.#note(toReading(stored));
	}

	/** What the runner is told of a child that has just been read. */
	tell(reading: ChildReading): Child {
		this.#note(reading);
		this.#noteTold(reading);
		return reading.child;
	}

	/** Executions of children that had not ended when the runner was last told of them. */
	toldOpen(): readonly string[] {
		// What has ended is told as such, or its end is not known here yet.
		return [...this.#told.values()].filter((told) => !this.#isEnd(told)).map(({ child }) => child.execution_id);
	}

	/** Whether a child has come further than the runner was told. */
	isNews(stored: StoredChild): boolean {
		const { child, age } = toReading(stored);
		return age > (this.#told.get(child.id)?.age ?? age);
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
			const known = this.#entries.get(id);
			if (known?.child.hasEnded) {
				this.#noteTold(known);
				return known.child;
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
				this.#noteTold(entry);
				yield entry.child;
			}
		} finally {
			this.#readers.delete(reader);
		}
	}

	#note(reading: ChildReading): void {
		const { id, hasEnded } = reading.child;
		if ((this.#entries.get(id)?.age ?? 0) >= reading.age || this.#isClosed) return;
		this.#entries.set(id, reading);
		if (hasEnded) this.#open.delete(id);
		else this.#open.add(id);
		for (const reader of this.#readers) {
			reader.untold.add(id);
			reader.wake();
		}
		if (hasEnded) for (const wake of this.#waiting.get(id) ?? []) wake();
	}

	#noteTold(reading: ChildReading): void {
		const { id } = reading.child;
		if ((this.#told.get(id)?.age ?? 0) < reading.age) this.#told.set(id, reading);
	}

	#isEnd({ child, age }: ChildReading): boolean {
		const known = this.#entries.get(child.id);
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
		const parent_id = this.#parts.parentId;
		const open = [...this.#open];
		const seen = new Set<string>();
		try {
			for (let where: Where<ExecutionEntity> = { parent_id, end_timestamp: null }; ; ) {
				for (const id of await this.#lookAt(where)) seen.add(id);
				// What has ended since then, and in turn what has followed it.
				const missing = this.#executionsOf(open).filter((id) => !seen.has(id));
				if (missing.length === 0) return;
				for (const id of missing) seen.add(id);
				where = { parent_id, id: { in: missing } };
			}
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		}
	}

	/** The executions that children are by now, of those that have not ended. */
	#executionsOf(ids: readonly string[]): readonly string[] {
		return ids.flatMap((id) => {
			const known = this.#entries.get(id);
			return known === undefined || known.child.hasEnded ? [] : [known.child.execution_id];
		});
	}

	async #lookAt(where: Where<ExecutionEntity>): Promise<readonly string[]> {
		const ids: string[] = [];
		for await (const page of readChildren(this.#parts.storage, where)) {
			for (const child of page) {
				this.note(child);
				ids.push(child.id);
			}
		}
		return ids;
	}

	#plan(): void {
		clearTimeout(this.#timer);
		const silence = longestSilence * this.#parts.options.scheduler.poll_interval * 1_000;
		if (!this.#isClosed) this.#timer = setTimeout(() => this.lookAgain(), silence);
	}
}
