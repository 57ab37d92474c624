import { randomUUID } from "node:crypto";
import { type DutyEntity, isSvcError, type Logger, type Patch, type Storage } from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import { insertOnce } from "../basics/insert-once.ts";
import { toAbandonedBefore, untilAbandoned } from "./lease-time.ts";

export interface DutyParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly nodeId: string;
	/** Seconds that a node which went away keeps others from it. */
	readonly lease: number;
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

/** Something that one node at a time does for all. A node that dies is followed by another one once its lease has run out. */
export interface Duty {
	start(): void;
	/** Do it now, unless another node does: whether it was brought to its end here. Rejects when the work does. */
	perform(): Promise<boolean>;
	/** Ends what is under way, and leaves the rest of it to others. */
	stop(): Promise<void>;
}

/** Milliseconds between two looks at a duty that another node holds longer than was thought. */
const shortestLook = 50;

/** Longest wait of the runtime's timers, in milliseconds. */
const longestTimer = 2_147_483_647;

export function createDuty({ storage, clock, logger, nodeId, lease }: DutyParts, { name, interval, work }: DutyTask): Duty {
	const stopping = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	/** One at a time; never rejects. */
	let working: Promise<unknown> = Promise.resolve();

	async function read(): Promise<DutyEntity> {
		for (;;) {
			const [known] = await storage.find("duty", { where: { name }, limit: 1 });
			if (known !== undefined) return known;
			const fresh = { id: createId(clock), name, owner: null, fence: null, lease_expires_at: null, done_at: null };
			await insertOnce(() => storage.insert("duty", [fresh]));
		}
	}

	function isHeld({ fence, lease_expires_at: expiry }: DutyEntity): boolean {
		// No other process can use a storage that is not shared: whoever has the lease there is gone.
		return storage.capabilities.shared === true && fence !== null && expiry !== null && expiry >= toAbandonedBefore(clock, lease);
	}

	/** Microseconds until it is to be done, at once when it never was. */
	function untilDue({ done_at }: DutyEntity): number {
		return done_at === null ? 0 : fromTimestamp(done_at) + interval * 1_000_000 - clock.steady();
	}

	/** Whether it was done: not when another node has it or was faster. */
	async function take(duty: DutyEntity): Promise<boolean> {
		const fence = randomUUID();
		const expiresAt = clock.steady() + lease * 1_000_000;
		const patch = { owner: nodeId, fence, lease_expires_at: toTimestamp(expiresAt) };
		// What was read may be old: another node may have done it since, and given it back.
		const expected = { fence: duty.fence, done_at: duty.done_at };
		if ((await storage.update("duty", duty.id, patch, expected)) === undefined) return false;
		const held = hold(duty.id, fence, expiresAt);
		let done: Patch<DutyEntity> = {};
		try {
			await work(held.signal);
			if (!held.signal.aborted) done = { done_at: toTimestamp(clock.steady()) };
		} finally {
			await held.end();
			await release(duty.id, fence, done);
		}
		return done.done_at !== undefined;
	}

	/** Renews the lease until `end`; `signal` aborts when that cannot be done. */
	function hold(id: string, fence: string, expiry: number): { readonly signal: AbortSignal; end(): Promise<void> } {
		const lost = new AbortController();
		let expiresAt = expiry;
		let renewing: Promise<void> = Promise.resolve();
		const renew = async () => {
			const next = clock.steady() + lease * 1_000_000;
			try {
				const renewed = await storage.update("duty", id, { lease_expires_at: toTimestamp(next) }, { fence });
				if (renewed !== undefined) expiresAt = next;
				else lost.abort();
			} catch (error) {
				if (clock.steady() >= expiresAt) lost.abort();
				logger.warn("a duty could not be kept", { duty: name, error });
			}
		};
		const timer = setInterval(
			() => {
				renewing = renewing.then(renew);
			},
			(lease * 1_000) / 3,
		);
		return {
			signal: AbortSignal.any([stopping.signal, lost.signal]),
			async end() {
				clearInterval(timer);
				await renewing;
			},
		};
	}

	async function release(id: string, fence: string, done: Patch<DutyEntity>): Promise<void> {
		const free = { owner: null, fence: null, lease_expires_at: null };
		await storage
			.update("duty", id, { ...free, ...done }, { fence })
			.catch((error: unknown) => logger.warn("a duty was not given back", { duty: name, error }));
	}

	/** Do it when it is due and free; the milliseconds until the next look. */
	async function look(): Promise<number> {
		const duty = await read();
		if (stopping.signal.aborted) return 0;
		if (isHeld(duty)) return Math.max(untilAbandoned(duty.lease_expires_at ?? "", clock, lease), shortestLook);
		const rest = untilDue(duty);
		if (rest > 0) return rest / 1_000;
		return (await take(duty)) ? interval * 1_000 : 0;
	}

	function plan(milliseconds: number): void {
		if (stopping.signal.aborted) return;
		timer = setTimeout(
			() => {
				working = working.then(look).then(plan, (error: unknown) => {
					report(error);
					plan(Math.min(lease, interval) * 1_000);
				});
			},
			Math.min(Math.max(milliseconds, 1), longestTimer),
		);
	}

	function report(error: unknown): void {
		if (isSvcError(error, "SVC_UNAVAILABLE")) logger.warn("a duty waits for the storage", { duty: name, error });
		else logger.error("a duty failed", { duty: name, error });
	}

	return {
		start() {
			plan(0);
		},
		perform() {
			const performing = working.then(async () => {
				const duty = await read();
				return !stopping.signal.aborted && !isHeld(duty) && (await take(duty));
			});
			working = performing.catch(() => undefined);
			return performing;
		},
		async stop() {
			stopping.abort();
			clearTimeout(timer);
			await working;
		},
	};
}
