import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { type Answer, type Step, StepError, throwInto, type Write } from "./database-client.ts";
import { fromSqliteError, isBusy } from "./sqlite-errors.ts";
import type { PlannedWrite } from "./sqlite-log.ts";
import { toTextOfAll } from "./write-text.ts";

/** What a group runs on. Each call but `commit` and `transact` is done when it returns; all throw errors of the driver. */
export interface GroupConnection {
	readonly inTransaction: boolean;
	exec(sql: string): void;
	run(step: Step): Answer;
	/** Commit without holding the event loop. Nothing else may be asked of the connection until it has settled. */
	commit(): Promise<void>;
	/** Run a whole transaction of these statements likewise. Where it rejects it may still be open. */
	transact(text: string): Promise<void>;
	/** Whether commits from here on wait for the disk. Outside transactions only. */
	setDurable(durable: boolean): void;
	/** Throws `SVC_UNAVAILABLE` if there is no room for a transaction that writes this much. Called outside transactions, before each. */
	assertRoom?(planned: PlannedWrite): void;
}

interface Pending {
	readonly write: Write<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** What has become of a group. */
interface Outcome {
	/** Milliseconds to wait before the next group, where that is not to begin at once. */
	readonly delay?: number;
	/** Tell those who wait for it. */
	tell(): void;
}

/** A group must not hold the event loop for long: about this many rows and characters go into one. */
const mostRows = 500;
const mostSize = 4_194_304;

/** Rows that are worth a transaction of their own: it begins without waiting for what else is asked for in the turn, which is the next one. */
const enoughRows = 16;

/** How long a lock of another process, such as a person at the `sqlite3` prompt, is waited for. */
const lockPatience = 5_000;
const lockInterval = 20;

/**
 * Runs the writes of one turn of the event loop in one transaction, or of a part of it where they are many, so that they share a wait for
 * the disk; what is asked for meanwhile is the next one, which is on its way before others are told of the one before. Many statements that
 * answer nothing are run as one text outside of the event loop. A write that fails by its own fault fails alone.
 */
export class GroupCommit {
	readonly #connection: GroupConnection;
	readonly #durable: boolean;
	#queue: Pending[] = [];
	readonly #interludes: (() => void)[] = [];
	/** A group is going to be run, or is being committed. */
	#scheduled = false;
	/** It is going to be run at the end of this turn of the event loop. */
	#turn: NodeJS.Immediate | undefined;
	/** The last transaction was committed: to ask the connection whether one is open costs as much as a small statement. */
	#isCommitted = false;
	#busySince: number | undefined;
	#idle: (() => void) | undefined;

	/** @param durable whether commits of kinds that are not relaxed wait for the disk */
	constructor(connection: GroupConnection, durable: boolean) {
		this.#connection = connection;
		this.#durable = durable;
	}

	write<T>(write: Write<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ write, resolve: (value) => resolve(value as T), reject });
			this.#schedule();
			if (this.#turn !== undefined && toRows(this.#queue) >= enoughRows) this.#hurry(this.#turn);
		});
	}

	/** Do something short outside of transactions, behind the group that is next. */
	between<T>(work: () => T): Promise<T> {
		return new Promise((resolve, reject) => {
			this.#interludes.push(() => {
				try {
					resolve(work());
				} catch (error) {
					reject(fromSqliteError(error));
				}
			});
			this.#schedule();
		});
	}

	/** Resolves when nothing waits any more. */
	async finish(): Promise<void> {
		if (this.#scheduled) await new Promise<void>((resolve) => (this.#idle = resolve));
	}

	#schedule(delay?: number): void {
		if (this.#scheduled) return;
		this.#scheduled = true;
		if (delay !== undefined) setTimeout(() => void this.#flush(), delay);
		else
			this.#turn = setImmediate(() => {
				this.#turn = undefined;
				void this.#flush();
			});
	}

	#hurry(turn: NodeJS.Immediate): void {
		clearImmediate(turn);
		this.#turn = undefined;
		queueMicrotask(() => void this.#flush());
	}

	/** Run what waits, group by group; never rejects. */
	async #flush(): Promise<void> {
		let outcome: Outcome = { tell() {} };
		while (this.#queue.length > 0 && outcome.delay === undefined) {
			const running = this.#runNext();
			// The next one is on its way meanwhile: what follows from a group may take as long as its commit.
			outcome.tell();
			outcome = await running;
			this.#runInterludes();
		}
		outcome.tell();
		this.#runInterludes();
		this.#scheduled = false;
		if (this.#queue.length > 0 || outcome.delay !== undefined) this.#schedule(outcome.delay);
		else this.#idle?.();
	}

	#runInterludes(): void {
		for (const interlude of this.#interludes.splice(0)) interlude();
	}

	async #runNext(): Promise<Outcome> {
		const group = this.#takeGroup();
		const text = toTextOfAll(group.map(({ write }) => write));
		const told = text === undefined ? undefined : await this.#runAsText(group, text);
		if (told !== undefined) return told;
		try {
			this.#begin(group);
		} catch (error) {
			if (isBusy(error) && this.#isPatient()) {
				this.#queue.unshift(...group);
				return { delay: lockInterval, tell() {} };
			}
			// No transaction can begin, so what waits behind this group would fare no better.
			this.#busySince = undefined;
			return this.#refuse([...group, ...this.#queue.splice(0)], error);
		}
		this.#busySince = undefined;
		return this.#run(group, text !== undefined);
	}

	/** Undefined where nothing is stored, and its statements one by one tell why. */
	async #runAsText(group: readonly Pending[], text: string): Promise<Outcome | undefined> {
		try {
			this.#prepare(group);
			await this.#connection.transact(text);
		} catch (error) {
			if (isBusy(error) || !isOutage(fromSqliteError(error))) return undefined;
			// Not tried again: of bytes that could not be brought to the disk the system says only once that they were not.
			this.#rollBack();
			return this.#refuse(group, error);
		}
		this.#isCommitted = true;
		this.#busySince = undefined;
		return { tell: () => group.forEach(({ resolve }) => void resolve(undefined)) };
	}

	#prepare(group: readonly Pending[]): void {
		if (!this.#isCommitted) this.#rollBack();
		this.#isCommitted = false;
		this.#connection.assertRoom?.({ rows: toRows(group), size: group.reduce((sum, { write }) => sum + write.size, 0) });
		this.#connection.setDurable(this.#durable && !group.every(({ write }) => write.relaxed));
	}

	#begin(group: readonly Pending[]): void {
		this.#prepare(group);
		this.#connection.exec("BEGIN IMMEDIATE");
	}

	/** @param guarded whether one of them may be expected to fail, as their text has */
	async #run(group: readonly Pending[], guarded: boolean): Promise<Outcome> {
		try {
			const settlements = guarded ? group.map((pending) => this.#attempt(pending, true)) : this.#attemptAll(group);
			await this.#connection.commit();
			this.#isCommitted = true;
			return {
				tell() {
					for (const settle of settlements) settle();
				},
			};
		} catch (error) {
			this.#rollBack();
			return this.#refuse(group, error);
		}
	}

	/** Savepoints cost about half as much as what they guard, so they are used only when a write has failed. */
	#attemptAll(group: readonly Pending[]): (() => void)[] {
		try {
			return group.map((pending) => this.#attempt(pending, false));
		} catch (error) {
			if (!(error instanceof HalfDone)) throw error;
			this.#rollBack();
			this.#begin(group);
			return group.map((pending) => this.#attempt(pending, true));
		}
	}

	/** What to tell the caller once the group is committed. Throws when the group cannot go on like this. */
	#attempt({ write, resolve, reject }: Pending, guarded: boolean): () => void {
		const savepoint = write.compound && guarded;
		if (savepoint) this.#connection.exec("SAVEPOINT one_write");
		try {
			const value = this.#runRounds(write);
			if (savepoint) this.#connection.exec("RELEASE one_write");
			return () => resolve(value);
		} catch (error) {
			if (isOutage(error) || !this.#connection.inTransaction) throw error;
			if (write.compound && !guarded) throw new HalfDone();
			if (savepoint) this.#connection.exec("ROLLBACK TO one_write; RELEASE one_write");
			return () => reject(error);
		}
	}

	#runRounds<T>(write: Write<T>): T {
		const steps = write.steps();
		let next = steps.next();
		while (!next.done) {
			let answers: Answer[];
			try {
				answers = next.value.map((step) => this.#runStep(step));
			} catch (error) {
				next = throwInto(steps, error);
				continue;
			}
			next = steps.next(answers);
		}
		return next.value;
	}

	#runStep(step: Step): Answer {
		try {
			return this.#connection.run(step);
		} catch (error) {
			throw new StepError(step, fromSqliteError(error));
		}
	}

	#rollBack(): void {
		// A full disk and the like have ended the transaction already.
		if (!this.#connection.inTransaction) return;
		try {
			this.#connection.exec("ROLLBACK");
		} catch {
			// The error that led here says more; the next group tries again before it begins.
		}
	}

	#refuse(group: readonly Pending[], error: unknown): Outcome {
		const known = fromSqliteError(error);
		const reason = isOutage(known) ? known : new SvcError("SVC_UNAVAILABLE", "the database did not take the write", { cause: error });
		return {
			// Who asks again at once would hold the event loop otherwise.
			delay: 0,
			tell() {
				for (const { reject } of group) reject(reason);
			},
		};
	}

	#takeGroup(): Pending[] {
		let [rows, size, length] = [0, 0, 0];
		for (const { write } of this.#queue) {
			rows += write.rows;
			size += write.size;
			if (length > 0 && (rows > mostRows || size > mostSize)) break;
			length += 1;
		}
		return this.#queue.splice(0, length);
	}

	#isPatient(): boolean {
		this.#busySince ??= performance.now();
		return performance.now() - this.#busySince < lockPatience;
	}
}

function toRows(group: readonly Pending[]): number {
	return group.reduce((sum, { write }) => sum + write.rows, 0);
}

/** A write has failed and may have left some of its statements behind. */
class HalfDone extends Error {}

function isOutage(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE");
}
