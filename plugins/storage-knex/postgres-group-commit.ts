import { isSvcError } from "../../core/contract/index.ts";
import { isCollision } from "../_postgres/errors.ts";
import { StepError, type Write } from "./database-client.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { ConnectionPool } from "./postgres-pool.ts";
import { finishWrite, startWrite, toBeginStatements, toStorageError } from "./postgres-write.ts";

/** A write whose caller waits for the result. */
interface QueuedWrite {
	readonly write: Write<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** Writes of a group that still have to run: first those to run together again, then those to run separately. */
interface UnfinishedWrites {
	readonly together: readonly QueuedWrite[];
	readonly separately: readonly QueuedWrite[];
}

const noUnfinishedWrites: UnfinishedWrites = { together: [], separately: [] };

/** Maximum concurrent groups: while one is being committed, the next one is sent. */
const maxConcurrentGroups = 2;

/** Approximate limits of a group. A larger group would hold its locks for too long. */
const maxGroupWrites = 50;
const maxGroupCharacters = 1_048_576;

/** Maximum repetitions of a group without its failed write. After one more failure, its remaining writes run separately. */
const maxRepeatsWithoutFailed = 3;

/**
 * Group commit for PostgreSQL: runs writes that are requested at about the same time in one transaction and one round trip. This takes less
 * than half the processor time of separate transactions. A write that fails is removed from its group and fails alone.
 */
export class PostgresGroupCommit {
	readonly #connections: ConnectionPool;
	readonly #runSeparately: <T>(write: Write<T>) => Promise<T>;
	readonly #queue: QueuedWrite[] = [];
	#runningGroups = 0;
	#isScheduled = false;
	#onIdle: (() => void) | undefined;

	constructor(connections: ConnectionPool, runSeparately: <T>(write: Write<T>) => Promise<T>) {
		this.#connections = connections;
		this.#runSeparately = runSeparately;
	}

	write<T>(write: Write<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ write, resolve: (value) => resolve(value as T), reject });
			if (this.#isScheduled || this.#runningGroups >= maxConcurrentGroups) return;
			this.#isScheduled = true;
			// Writes that are requested later in this turn of the event loop join the group.
			setImmediate(() => {
				this.#isScheduled = false;
				void this.#runNext();
			});
		});
	}

	/** Resolves when no write waits or runs. */
	async finish(): Promise<void> {
		if (this.#runningGroups > 0 || this.#isScheduled) await new Promise<void>((resolve) => (this.#onIdle = resolve));
	}

	/** Runs groups until no write is queued. Never rejects. */
	async #runNext(): Promise<void> {
		this.#runningGroups += 1;
		for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) await this.#runGroup(group);
		this.#runningGroups -= 1;
		if (this.#runningGroups === 0 && !this.#isScheduled) this.#onIdle?.();
	}

	async #runGroup(group: readonly QueuedWrite[]): Promise<void> {
		let together = group;
		const separately: QueuedWrite[] = [];
		for (let failures = 0; together.length > 1 && failures <= maxRepeatsWithoutFailed; failures++) {
			const unfinished = await this.#tryTogether(together);
			together = unfinished.together;
			separately.push(...unfinished.separately);
		}
		const run = ({ write, resolve, reject }: QueuedWrite) => this.#runSeparately(write).then(resolve, reject);
		await Promise.all(together.map(run));
		await Promise.all(separately.map(run));
	}

	async #tryTogether(group: readonly QueuedWrite[]): Promise<UnfinishedWrites> {
		try {
			return await this.#connections.use((connection) => runTogether(connection, group));
		} catch (error) {
			// There is no connection, or it was lost. The group may have been committed before, so its writes are not repeated.
			for (const { reject } of group) reject(toStorageError(error));
			return noUnfinishedWrites;
		}
	}

	#takeGroup(): QueuedWrite[] {
		let [length, characters] = [0, 0];
		for (const { write } of this.#queue) {
			characters += write.size;
			if (length > 0 && (length >= maxGroupWrites || characters > maxGroupCharacters)) break;
			length += 1;
		}
		return this.#queue.splice(0, length);
	}
}

async function runTogether(connection: PostgresConnection, group: readonly QueuedWrite[]): Promise<UnfinishedWrites> {
	const startedWrites = group.map((queued) => {
		const steps = queued.write.rounds();
		return { queued, steps, first: startWrite(steps) };
	});
	const steps = startedWrites.flatMap(({ first }) => first);
	const begin = toBeginStatements(group.every(({ write }) => write.relaxed));
	const answers = await connection.runTransaction(steps, begin).catch((error: unknown) => new Failure(error));
	if (!(answers instanceof Failure)) {
		let offset = 0;
		for (const { queued, steps, first } of startedWrites) {
			queued.resolve(finishWrite(steps, answers.slice(offset, offset + first.length)));
			offset += first.length;
		}
		return noUnfinishedWrites;
	}
	const { error } = answers;
	if (connection.loss) throw error;
	const failedWrite = error instanceof StepError ? startedWrites.find(({ first }) => first.includes(error.step)) : undefined;
	if (!failedWrite || isCollision(toStorageError(error))) return { together: [], separately: group };
	const together = group.filter((queued) => queued !== failedWrite.queued);
	// The conflicting row may be from another write of the group. So run the failed write again after the others are committed.
	if (!isSvcError(toStorageError(error), "SVC_UNAVAILABLE")) return { together, separately: [failedWrite.queued] };
	failedWrite.queued.reject(toStorageError(error));
	return { together, separately: [] };
}

/** Error of a transaction, as a value. */
class Failure {
	readonly error: unknown;

	constructor(error: unknown) {
		this.error = error;
	}
}
