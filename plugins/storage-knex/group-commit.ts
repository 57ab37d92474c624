import { isSvcError, SvcError } from "../../core/contract/index.ts";
import type { Answer, Step, Write } from "./database-client.ts";
import { fromSqliteError, isBusy } from "./sqlite-errors.ts";

/** What a group runs on. Each call is done when it returns, and throws errors of the driver. */
export interface SyncConnection {
	readonly inTransaction: boolean;
	exec(sql: string): void;
	run(step: Step): Answer;
	/** Whether commits from here on wait for the disk. Outside transactions only. */
	setDurable(durable: boolean): void;
}

interface Pending {
	readonly write: Write<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** A group must not hold the event loop for long: about this many rows and characters go into one. */
const mostRows = 500;
const mostSize = 4_194_304;

/** How long a lock of another process, such as a person at the `sqlite3` prompt, is waited for. */
const lockPatience = 5_000;
const lockInterval = 20;

/**
 * Runs the writes of one tick of the event loop in one transaction, so that they share a wait for the disk. A write that
 * fails by its own fault fails alone.
 */
export class GroupCommit {
	readonly #connection: SyncConnection;
	readonly #durable: boolean;
	#queue: Pending[] = [];
	#scheduled = false;
	#busySince: number | undefined;
	#idle: (() => void) | undefined;

	/** @param durable whether commits of kinds that are not relaxed wait for the disk */
	constructor(connection: SyncConnection, durable: boolean) {
		this.#connection = connection;
		this.#durable = durable;
	}

	write<T>(write: Write<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ write, resolve: (value) => resolve(value as T), reject });
			this.#schedule();
		});
	}

	/** Resolves when nothing waits any more. */
	async finish(): Promise<void> {
		if (this.#queue.length > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
	}

	#schedule(delay?: number): void {
		if (this.#scheduled) return;
		this.#scheduled = true;
		const flush = () => {
			this.#scheduled = false;
			this.#flush();
			if (this.#queue.length === 0) this.#idle?.();
		};
		if (delay === undefined) setImmediate(flush);
		else setTimeout(flush, delay);
	}

	#flush(): void {
		const group = this.#takeGroup();
		try {
			this.#rollBack();
			this.#connection.setDurable(this.#durable && !group.every(({ write }) => write.relaxed));
			this.#connection.exec("BEGIN IMMEDIATE");
		} catch (error) {
			if (isBusy(error) && this.#isPatient()) {
				this.#queue.unshift(...group);
				this.#schedule(lockInterval);
			} else {
				// No transaction can begin, so what waits behind this group would fare no better.
				this.#busySince = undefined;
				this.#reject([...group, ...this.#queue.splice(0)], error);
			}
			return;
		}
		this.#busySince = undefined;
		this.#run(group);
		if (this.#queue.length > 0) this.#schedule();
	}

	#run(group: readonly Pending[]): void {
		try {
			const settlements = group.map((pending) => this.#attempt(pending));
			this.#connection.exec("COMMIT");
			for (const settle of settlements) settle();
		} catch (error) {
			this.#rollBack();
			this.#reject(group, error);
		}
	}

	/** What to tell the caller once the group is committed. Throws when the whole group cannot go on. */
	#attempt({ write, resolve, reject }: Pending): () => void {
		if (write.compound) this.#connection.exec("SAVEPOINT one_write");
		try {
			const value = this.#runSteps(write);
			if (write.compound) this.#connection.exec("RELEASE one_write");
			return () => resolve(value);
		} catch (error) {
			if (isOutage(error) || !this.#connection.inTransaction) throw error;
			if (write.compound) this.#connection.exec("ROLLBACK TO one_write; RELEASE one_write");
			return () => reject(error);
		}
	}

	#runSteps<T>(write: Write<T>): T {
		const steps = write.steps();
		let next = steps.next();
		while (!next.done) {
			let answer: Answer;
			try {
				answer = this.#connection.run(next.value);
			} catch (error) {
				next = steps.throw(fromSqliteError(error));
				continue;
			}
			next = steps.next(answer);
		}
		return next.value;
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

	#reject(group: readonly Pending[], error: unknown): void {
		const known = fromSqliteError(error);
		const reason = isOutage(known) ? known : new SvcError("SVC_UNAVAILABLE", "the database did not take the write", { cause: error });
		for (const { reject } of group) reject(reason);
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

function isOutage(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE");
}
