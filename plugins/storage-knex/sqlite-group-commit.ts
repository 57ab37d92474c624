import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { type StatementResult, type Step, StepError, throwIntoRounds, type Write } from "./database-client.ts";
import { fromSqliteError, isBusy } from "./sqlite-errors.ts";
import { toWriteScript } from "./sqlite-write-script.ts";
import type { PlannedWrite } from "./wal-limit.ts";

/** Connection through which groups are written. Methods that return no promise are synchronous. All methods throw errors of the driver. */
export interface GroupConnection {
	readonly inTransaction: boolean;
	exec(sql: string): void;
	run(step: Step): StatementResult;
	/** Commits without blocking the event loop. The caller must not use the connection until the promise settles. */
	commit(): Promise<void>;
	/**
	 * Runs these statements as a whole transaction, without blocking the event loop. The caller must not use the connection until
	 * the promise settles. If it rejects, the transaction may still be open.
	 */
	runTransaction(text: string): Promise<void>;
	/** Sets whether later commits wait for the disk. The caller must not call it inside a transaction. */
	setDurable(durable: boolean): void;
	/** Throws `SVC_UNAVAILABLE` if the disk has too little space for a transaction of this size. Called before each transaction. */
	assertSpace?(planned: PlannedWrite): void;
}

/** A write whose caller waits for the result. */
interface QueuedWrite {
	readonly write: Write<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** Result of a group whose transaction has ended. */
interface GroupResult {
	/** Milliseconds to wait before the next group. The next group starts at once if undefined. */
	readonly delayMs?: number;
	/** Resolves or rejects the promises of the callers. */
	settle(): void;
}

/** Approximate limits of a group. A larger group would block the event loop for too long. */
const maxGroupRows = 500;
const maxGroupCharacters = 4_194_304;

/**
 * Number of queued rows from which a group does not wait for the end of the turn of the event loop. So many rows justify a separate
 * transaction.
 */
const immediateFlushRows = 16;

/** Maximum milliseconds to wait for a lock of another process, such as the `sqlite3` shell. */
const maxLockWaitMs = 5_000;
const lockRetryIntervalMs = 20;

/**
 * Group commit for SQLite: writes that callers request in one turn of the event loop share a transaction, so that they wait for the disk
 * only once.
 *
 * States:
 * - *Idle*: nothing is queued. The first write, or the first function for `#interludes`, schedules a flush.
 * - *Scheduled*: the flush starts at the end of the turn (`setImmediate`), so that further writes of the turn join the group. Once the
 * queued writes have 16 rows, it starts as a microtask instead. After a postponed or rejected group it starts by a timer.
 * - *Running*: a group is taken from the head of the queue, at most about 500 rows or 4 Mi characters. If its writes return nothing and
 * have many statements, `BEGIN` to `COMMIT` run as one SQL script in another thread. Otherwise the statements run on the event loop.
 * - *Committing*: another thread commits. The flush then takes the next group, or becomes idle if the queue is empty.
 *
 * Concurrency: there is at most one transaction. While another thread commits, callers may queue writes, but nothing may use the
 * connection: any call would block the event loop until the commit has ended. If more writes are queued, the promises of a group settle
 * only after the next group has started. The code that awaits them then runs during the commit of that group. A function of `#interludes`
 * is called after the current group, or the next one, while no transaction is open.
 *
 * Failures:
 * - A write that fails because of its own content fails alone. SQLite itself undoes a single statement. If a write of several statements
 * fails, the group is rolled back and repeated with savepoints. Savepoints cost about half as much as the statements they guard, so the
 * first try does without them.
 * - A group that fails as a script is repeated statement by statement, which shows the write that fails.
 * - If another process holds the lock, the group returns to the head of the queue and is repeated every 20 ms. If the lock is still held
 * after 5 s, or `BEGIN` fails for another reason, the group and all queued writes reject with `SVC_UNAVAILABLE`.
 * - If a script or a commit fails because of the disk, its group rejects with `SVC_UNAVAILABLE` and is not repeated. The system reports a
 * failed fsync only once, so that a repeated commit could succeed although data is lost.
 *
 * Guarantees: a promise resolves only after its transaction is committed. With `durable`, the data is on the disk by that time, unless
 * every write of the group is relaxed. Without this rule, a power failure could destroy an acknowledged write.
 */
export class SqliteGroupCommit {
	readonly #connection: GroupConnection;
	readonly #durable: boolean;
	#queue: QueuedWrite[] = [];
	/** Functions that wait to be called outside of transactions. */
	readonly #interludes: (() => void)[] = [];
	/** True from the moment a flush is scheduled until the flush has ended. */
	#isFlushActive = false;
	/** Set while a flush waits for the end of this turn of the event loop. */
	#endOfTurn: NodeJS.Immediate | undefined;
	/**
	 * True if the last transaction was committed, so that none is open. Querying the connection for that costs as much as a small statement.
	 */
	#isLastCommitted = false;
	/** Time of the first attempt that failed because of a lock of another process, in milliseconds of `performance`. */
	#busySince: number | undefined;
	#onIdle: (() => void) | undefined;

	/** @param durable true if commits of kinds that are not relaxed wait for the disk */
	constructor(connection: GroupConnection, durable: boolean) {
		this.#connection = connection;
		this.#durable = durable;
	}

	/** Queues a write. Resolves with its result once its transaction is committed. */
	write<T>(write: Write<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ write, resolve: (value) => resolve(value as T), reject });
			this.#schedule();
			if (this.#endOfTurn !== undefined && countRows(this.#queue) >= immediateFlushRows) this.#flushInMicrotask(this.#endOfTurn);
		});
	}

	/** Calls a short function outside of transactions, after the next group. Resolves with the value that the function returns. */
	runOutsideTransaction<T>(work: () => T): Promise<T> {
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

	/** Resolves when no write waits or runs. */
	async finish(): Promise<void> {
		if (this.#isFlushActive) await new Promise<void>((resolve) => (this.#onIdle = resolve));
	}

	#schedule(delayMs?: number): void {
		if (this.#isFlushActive) return;
		this.#isFlushActive = true;
		if (delayMs !== undefined) setTimeout(() => void this.#flush(), delayMs);
		else
			this.#endOfTurn = setImmediate(() => {
				this.#endOfTurn = undefined;
				void this.#flush();
			});
	}

	#flushInMicrotask(endOfTurn: NodeJS.Immediate): void {
		clearImmediate(endOfTurn);
		this.#endOfTurn = undefined;
		queueMicrotask(() => void this.#flush());
	}

	/** Runs the queued writes, group by group. Never rejects. */
	async #flush(): Promise<void> {
		let result: GroupResult = { settle() {} };
		while (this.#queue.length > 0 && result.delayMs === undefined) {
			const running = this.#runNext();
			// The next group has started before the callers of this one continue: their code may take as long as a commit.
			result.settle();
			result = await running;
			this.#runInterludes();
		}
		result.settle();
		this.#runInterludes();
		this.#isFlushActive = false;
		if (this.#queue.length > 0 || result.delayMs !== undefined) this.#schedule(result.delayMs);
		else this.#onIdle?.();
	}

	#runInterludes(): void {
		for (const interlude of this.#interludes.splice(0)) interlude();
	}

	async #runNext(): Promise<GroupResult> {
		const group = this.#takeGroup();
		const text = toWriteScript(group.map(({ write }) => write));
		const textResult = text === undefined ? undefined : await this.#runAsText(group, text);
		if (textResult !== undefined) return textResult;
		try {
			this.#begin(group);
		} catch (error) {
			if (isBusy(error) && this.#canWaitForLock()) {
				this.#queue.unshift(...group);
				return { delayMs: lockRetryIntervalMs, settle() {} };
			}
			// No transaction can begin, so all queued writes would fail as well.
			this.#busySince = undefined;
			return this.#rejectWrites([...group, ...this.#queue.splice(0)], error);
		}
		this.#busySince = undefined;
		return this.#run(group, text !== undefined);
	}

	/** Returns undefined if the script stored nothing. Its statements must then run one by one, to find the write that fails. */
	async #runAsText(group: readonly QueuedWrite[], text: string): Promise<GroupResult | undefined> {
		try {
			this.#prepareTransaction(group);
			await this.#connection.runTransaction(text);
		} catch (error) {
			if (isBusy(error) || !isUnavailable(fromSqliteError(error))) return undefined;
			// Do not repeat it: the system reports only once that data did not reach the disk, so a second commit could falsely succeed.
			this.#rollBack();
			return this.#rejectWrites(group, error);
		}
		this.#isLastCommitted = true;
		this.#busySince = undefined;
		return { settle: () => group.forEach(({ resolve }) => void resolve(undefined)) };
	}

	/** Rolls back a transaction that is still open, and prepares the connection for a transaction of this group. */
	#prepareTransaction(group: readonly QueuedWrite[]): void {
		if (!this.#isLastCommitted) this.#rollBack();
		this.#isLastCommitted = false;
		this.#connection.assertSpace?.({ rows: countRows(group), size: group.reduce((sum, { write }) => sum + write.size, 0) });
		this.#connection.setDurable(this.#durable && !group.every(({ write }) => write.relaxed));
	}

	#begin(group: readonly QueuedWrite[]): void {
		this.#prepareTransaction(group);
		this.#connection.exec("BEGIN IMMEDIATE");
	}

	/** @param usesSavepoints true if one of the writes probably fails, because the group has failed as a script */
	async #run(group: readonly QueuedWrite[], usesSavepoints: boolean): Promise<GroupResult> {
		try {
			const settlements = usesSavepoints ? group.map((queued) => this.#runWrite(queued, true)) : this.#runWrites(group);
			await this.#connection.commit();
			this.#isLastCommitted = true;
			return {
				settle() {
					for (const settle of settlements) settle();
				},
			};
		} catch (error) {
			this.#rollBack();
			return this.#rejectWrites(group, error);
		}
	}

	/** Uses savepoints only after a write has failed, because they cost about half as much as the statements that they guard. */
	#runWrites(group: readonly QueuedWrite[]): (() => void)[] {
		try {
			return group.map((queued) => this.#runWrite(queued, false));
		} catch (error) {
			if (!(error instanceof PartialWriteError)) throw error;
			this.#rollBack();
			this.#begin(group);
			return group.map((queued) => this.#runWrite(queued, true));
		}
	}

	/** Runs a write. Returns a function that settles the caller's promise after the commit. Throws if the group cannot continue. */
	#runWrite({ write, resolve, reject }: QueuedWrite, usesSavepoints: boolean): () => void {
		const hasSavepoint = write.compound && usesSavepoints;
		if (hasSavepoint) this.#connection.exec("SAVEPOINT one_write");
		try {
			const value = this.#runRounds(write);
			if (hasSavepoint) this.#connection.exec("RELEASE one_write");
			return () => resolve(value);
		} catch (error) {
			if (isUnavailable(error) || !this.#connection.inTransaction) throw error;
			if (write.compound && !usesSavepoints) throw new PartialWriteError();
			if (hasSavepoint) this.#connection.exec("ROLLBACK TO one_write; RELEASE one_write");
			return () => reject(error);
		}
	}

	#runRounds<T>(write: Write<T>): T {
		const steps = write.rounds();
		let next = steps.next();
		while (!next.done) {
			let answers: StatementResult[];
			try {
				answers = next.value.map((step) => this.#runStep(step));
			} catch (error) {
				next = throwIntoRounds(steps, error);
				continue;
			}
			next = steps.next(answers);
		}
		return next.value;
	}

	#runStep(step: Step): StatementResult {
		try {
			return this.#connection.run(step);
		} catch (error) {
			throw new StepError(step, fromSqliteError(error));
		}
	}

	#rollBack(): void {
		// Some errors, such as a full disk, have already ended the transaction.
		if (!this.#connection.inTransaction) return;
		try {
			this.#connection.exec("ROLLBACK");
		} catch {
			// The error that caused the rollback is more useful; the next group rolls back again before it begins.
		}
	}

	#rejectWrites(group: readonly QueuedWrite[], error: unknown): GroupResult {
		const storageError = fromSqliteError(error);
		const reason = isUnavailable(storageError)
			? storageError
			: new SvcError("SVC_UNAVAILABLE", "the database did not accept the write", { cause: error });
		return {
			// Continue by a timer. Otherwise a caller that retries at once would block the event loop.
			delayMs: 0,
			settle() {
				for (const { reject } of group) reject(reason);
			},
		};
	}

	#takeGroup(): QueuedWrite[] {
		let [rows, characters, length] = [0, 0, 0];
		for (const { write } of this.#queue) {
			rows += write.rows;
			characters += write.size;
			if (length > 0 && (rows > maxGroupRows || characters > maxGroupCharacters)) break;
			length += 1;
		}
		return this.#queue.splice(0, length);
	}

	#canWaitForLock(): boolean {
		this.#busySince ??= performance.now();
		return performance.now() - this.#busySince < maxLockWaitMs;
	}
}

function countRows(group: readonly QueuedWrite[]): number {
	return group.reduce((sum, { write }) => sum + write.rows, 0);
}

/** Thrown if a write of several statements has failed, and some of its statements may have taken effect. */
class PartialWriteError extends Error {}

function isUnavailable(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE");
}
