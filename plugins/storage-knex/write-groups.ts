import { isSvcError } from "../../core/contract/index.ts";
import { isCollision } from "../_postgres/errors.ts";
import { StepError, type Write } from "./database-client.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Connections } from "./postgres-connections.ts";
import { conclude, takeFirst, toBegin, toKnown } from "./postgres-rounds.ts";

interface Pending {
	readonly write: Write<unknown>;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

/** What is left of a group that was tried: those to be tried together again, and those that go by themselves behind them. */
interface Rest {
	readonly together: readonly Pending[];
	readonly alone: readonly Pending[];
}

const nothing: Rest = { together: [], alone: [] };

/** Groups under way at a time: while one is being committed, another one is on its way. */
const mostGroups = 2;

/** A group must not hold its locks for long: about this many writes and characters go into one. */
const mostWrites = 50;
const mostSize = 1_048_576;

/** Failing writes that a group is tried again without, before what is left of it goes one by one. */
const mostFailures = 3;

/**
 * Runs writes that are asked for at about the same time in one transaction and one round trip, which takes the server and
 * this process less than half the work. A write that fails is taken out and fails alone.
 */
export class WriteGroups {
	readonly #connections: Connections;
	readonly #runAlone: <T>(write: Write<T>) => Promise<T>;
	readonly #queue: Pending[] = [];
	#running = 0;
	#isDue = false;
	#idle: (() => void) | undefined;

	constructor(connections: Connections, runAlone: <T>(write: Write<T>) => Promise<T>) {
		this.#connections = connections;
		this.#runAlone = runAlone;
	}

	write<T>(write: Write<T>): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ write, resolve: (value) => resolve(value as T), reject });
			if (this.#isDue || this.#running >= mostGroups) return;
			this.#isDue = true;
			// Whatever else is asked for in this turn of the event loop goes along.
			setImmediate(() => {
				this.#isDue = false;
				void this.#runNext();
			});
		});
	}

	/** Resolves when nothing waits or runs any more. */
	async finish(): Promise<void> {
		if (this.#running > 0 || this.#isDue) await new Promise<void>((resolve) => (this.#idle = resolve));
	}

	/** Never rejects. */
	async #runNext(): Promise<void> {
		this.#running += 1;
		for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) await this.#runGroup(group);
		this.#running -= 1;
		if (this.#running === 0 && !this.#isDue) this.#idle?.();
	}

	async #runGroup(group: readonly Pending[]): Promise<void> {
		let together = group;
		const alone: Pending[] = [];
		for (let failures = 0; together.length > 1 && failures <= mostFailures; failures++) {
			const rest = await this.#tryTogether(together);
			together = rest.together;
			alone.push(...rest.alone);
		}
		const run = ({ write, resolve, reject }: Pending) => this.#runAlone(write).then(resolve, reject);
		await Promise.all(together.map(run));
		await Promise.all(alone.map(run));
	}

	async #tryTogether(group: readonly Pending[]): Promise<Rest> {
		try {
			return await this.#connections.use((connection) => runTogether(connection, group));
		} catch (error) {
			// There is no connection, or it was lost: whether the group was committed nobody knows.
			for (const { reject } of group) reject(toKnown(error));
			return nothing;
		}
	}

	#takeGroup(): Pending[] {
		let [length, size] = [0, 0];
		for (const { write } of this.#queue) {
			size += write.size;
			if (length > 0 && (length >= mostWrites || size > mostSize)) break;
			length += 1;
		}
		return this.#queue.splice(0, length);
	}
}

async function runTogether(connection: PostgresConnection, group: readonly Pending[]): Promise<Rest> {
	const begun = group.map((pending) => {
		const steps = pending.write.steps();
		return { pending, steps, first: takeFirst(steps) };
	});
	const steps = begun.flatMap(({ first }) => first);
	const begin = toBegin(group.every(({ write }) => write.relaxed));
	const answers = await connection.runTransaction(steps, begin).catch((error: unknown) => new Failed(error));
	if (!(answers instanceof Failed)) {
		let place = 0;
		for (const { pending, steps, first } of begun) {
			pending.resolve(conclude(steps, answers.slice(place, place + first.length)));
			place += first.length;
		}
		return nothing;
	}
	const { error } = answers;
	if (connection.loss) throw error;
	const culprit = error instanceof StepError ? begun.find(({ first }) => first.includes(error.step)) : undefined;
	if (!culprit || isCollision(toKnown(error))) return { together: [], alone: group };
	const together = group.filter((pending) => pending !== culprit.pending);
	// What was in its way may be of the same group, and is there for good only when that is committed.
	if (!isSvcError(toKnown(error), "SVC_UNAVAILABLE")) return { together, alone: [culprit.pending] };
	culprit.pending.reject(toKnown(error));
	return { together, alone: [] };
}

class Failed {
	readonly error: unknown;

	constructor(error: unknown) {
		this.error = error;
	}
}
