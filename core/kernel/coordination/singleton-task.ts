import { type DutyEntity, isSvcError, type Logger, type Patch, type Storage } from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-if-absent.ts";
import { HeldLease, KeptLease } from "./lease.ts";
import { type Leasing, released, toRenewalInterval } from "./lease-duration.ts";

export interface DutyParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	/** Its lease is how long a node that went away keeps others from the duty. */
	readonly leasing: Leasing;
}

export interface DutyTask {
	/** The same on every node. */
	readonly name: string;
	/** Seconds from the end of one time to the beginning of the next, whichever nodes do it. */
	readonly interval: number;
	/**
	 * Do it. When `signal` aborts, the service stops or another node has the duty: what is under way may be finished, and nothing
	 * more begun. What was not brought to its end is done again soon, here or elsewhere.
	 */
	work(signal: AbortSignal): Promise<void>;
}

/** Milliseconds between two looks at a duty that another node holds longer than was thought. */
const shortestLook = 50;

/** Longest wait of the runtime's timers, in milliseconds. */
const longestTimer = 2_147_483_647;

/** Something that one node at a time does for all. A node that dies is followed by another one once its lease has run out. */
export class Duty {
	readonly #parts: DutyParts;
	readonly #task: DutyTask;
	readonly #stopping = new AbortController();
	#timer: NodeJS.Timeout | undefined;
	/** One at a time; never rejects. */
	#working: Promise<unknown> = Promise.resolve();

	constructor(parts: DutyParts, task: DutyTask) {
		this.#parts = parts;
		this.#task = task;
	}

	start(): void {
		this.#plan(0);
	}

	/** Do it now, unless another node does: whether it was brought to its end here. Rejects when the work does. */
	perform(): Promise<boolean> {
		const performing = this.#working.then(async () => {
			const duty = await this.#read();
			return !this.#stopping.signal.aborted && !this.#parts.leasing.isHeld(duty) && (await this.#take(duty));
		});
		this.#working = performing.catch(() => undefined);
		return performing;
	}

	/** Ends what is under way, and leaves the rest of it to others. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		clearTimeout(this.#timer);
		await this.#working;
	}

	#plan(milliseconds: number): void {
		if (this.#stopping.signal.aborted) return;
		this.#timer = setTimeout(
			() => {
				this.#working = this.#working
					.then(() => this.#look())
					.then(
						(next) => this.#plan(next),
						(error: unknown) => this.#retry(error),
					);
			},
			Math.min(Math.max(milliseconds, 1), longestTimer),
		);
	}

	#retry(error: unknown): void {
		const { logger, leasing } = this.#parts;
		const { name, interval } = this.#task;
		if (isSvcError(error, "SVC_UNAVAILABLE")) logger.warn("a duty waits for the storage", { duty: name, error });
		else logger.error("a duty failed", { duty: name, error });
		this.#plan(Math.min(leasing.lease, interval) * 1_000);
	}

	/** Do it when it is due and free; the milliseconds until the next look. */
	async #look(): Promise<number> {
		const { leasing } = this.#parts;
		const duty = await this.#read();
		if (this.#stopping.signal.aborted) return 0;
		if (leasing.isHeld(duty)) return Math.max(leasing.untilFree(duty), shortestLook);
		const rest = this.#untilDue(duty);
		if (rest > 0) return rest / 1_000;
		return (await this.#take(duty)) ? this.#task.interval * 1_000 : 0;
	}

	async #read(): Promise<DutyEntity> {
		const { storage, clock } = this.#parts;
		const { name } = this.#task;
		for (;;) {
			const [known] = await storage.find("duty", { where: { name }, limit: 1 });
			if (known !== undefined) return known;
			const fresh = { id: createId(clock), name, ...released, done_at: null };
			await insertOnce(() => storage.insert("duty", [fresh]));
		}
	}

	/** Microseconds until it is to be done, at once when it never was. */
	#untilDue({ done_at }: DutyEntity): number {
		return done_at === null ? 0 : fromTimestamp(done_at) + this.#task.interval * 1_000_000 - this.#parts.clock.steady();
	}

	/** Whether it was done: not when another node has it or was faster. */
	async #take({ id, fence, done_at }: DutyEntity): Promise<boolean> {
		const { clock, leasing } = this.#parts;
		// What was read may be old: another node may have done it since, and given it back.
		const taken = await HeldLease.take(leasing, "duty", id, { expected: { fence, done_at } });
		if (taken === undefined) return false;
		const kept = this.#keep(taken.lease);
		const signal = AbortSignal.any([this.#stopping.signal, kept.signal]);
		let done: Patch<DutyEntity> = {};
		try {
			await this.#task.work(signal);
			if (!signal.aborted) done = { done_at: toTimestamp(clock.steady()) };
		} finally {
			await kept.end();
			await this.#release(taken.lease, done);
		}
		return done.done_at !== undefined;
	}

	#keep(lease: HeldLease<"duty">): KeptLease<"duty"> {
		const { logger, leasing } = this.#parts;
		return new KeptLease({
			lease,
			interval: toRenewalInterval(leasing.lease),
			onError: (error) => logger.warn("a duty could not be kept", { duty: this.#task.name, error }),
		});
	}

	async #release(lease: HeldLease<"duty">, done: Patch<DutyEntity>): Promise<void> {
		await lease
			.release(done)
			.catch((error: unknown) => this.#parts.logger.warn("a duty was not given back", { duty: this.#task.name, error }));
	}
}
