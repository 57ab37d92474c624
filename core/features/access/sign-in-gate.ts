import { SvcError } from "../../contract/index.ts";

const retryAfter = 5;

export interface GateLimits {
	readonly underWay: number;
	/** Of those, at one address, so that a single one cannot take them all. */
	readonly atAddress: number;
	readonly waitingAtAddress: number;
	readonly waiting: number;
	/** Milliseconds. */
	readonly wait: number;
}

/** A hash takes a processor for a while by design, and a directory has few connections. */
const usualLimits: GateLimits = { underWay: 8, atAddress: 4, waitingAtAddress: 64, waiting: 512, wait: 10_000 };

/** Whose turn it is. */
export interface SignInSubject {
	/** The user at the address: one turn at a time, or many guesses at once would all begin before the first one counts. */
	readonly pair: string;
	readonly address: string;
	/** Whether the user has signed in from this address before. */
	readonly isKnown: boolean;
}

interface Waiting extends SignInSubject {
	begin(): void;
	refuse(reason: unknown): void;
}

/**
 * Lets a few sign-ins at a time to the auth backend, so that a right one does not stand behind all the wrong ones. Users at addresses
 * that they have signed in from have turns of their own; among the others comes first whose address has the fewest turns now, and then
 * who came last: of a flood it is the oldest that are given up, as their clients have waited longest already.
 */
export class SignInGate {
	/** The oldest first. */
	#waiting: Waiting[] = [];
	readonly #pairs = new Set<string>();
	/** Turns of strangers at each address. */
	readonly #addresses = new Map<string, number>();
	readonly #limits: GateLimits;
	#known = 0;
	#strangers = 0;

	constructor(limits: GateLimits = usualLimits) {
		this.#limits = limits;
	}

	/** Do `work` when it is its turn. `SVC_TOO_MANY` with `retry_after` when too many wait; the signal's reason on abort. */
	async run<T>(subject: SignInSubject, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
		signal.throwIfAborted();
		await this.#wait(subject, signal);
		try {
			return await work();
		} finally {
			this.#end(subject);
		}
	}

	#wait(subject: SignInSubject, signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const settle = () => {
				clearTimeout(timer);
				signal.removeEventListener("abort", abort);
				this.#waiting = this.#waiting.filter((other) => other !== waiting);
			};
			const waiting: Waiting = {
				...subject,
				begin() {
					settle();
					resolve();
				},
				refuse(reason) {
					settle();
					reject(reason);
				},
			};
			const abort = () => waiting.refuse(signal.reason);
			const timer = setTimeout(() => waiting.refuse(tooMany()), this.#limits.wait);
			signal.addEventListener("abort", abort, { once: true });
			this.#waiting.push(waiting);
			this.#next();
			this.#giveUp(subject.address);
		});
	}

	#next(): void {
		for (let chosen = this.#choose(); chosen !== undefined; chosen = this.#choose()) {
			this.#pairs.add(chosen.pair);
			if (chosen.isKnown) this.#known += 1;
			else {
				this.#strangers += 1;
				this.#addresses.set(chosen.address, this.#turnsAt(chosen.address) + 1);
			}
			chosen.begin();
		}
	}

	#choose(): Waiting | undefined {
		let chosen: Waiting | undefined;
		for (const waiting of this.#waiting) {
			if (!this.#isFree(waiting)) continue;
			if (chosen === undefined || this.#rank(waiting) <= this.#rank(chosen)) chosen = waiting;
		}
		return chosen;
	}

	#isFree({ pair, address, isKnown }: Waiting): boolean {
		if (this.#pairs.has(pair)) return false;
		const { underWay, atAddress } = this.#limits;
		if (isKnown) return this.#known < underWay;
		return this.#strangers < underWay && this.#turnsAt(address) < atAddress;
	}

	#rank({ address, isKnown }: Waiting): number {
		return isKnown ? -1 : this.#turnsAt(address);
	}

	#turnsAt(address: string): number {
		return this.#addresses.get(address) ?? 0;
	}

	#end({ pair, address, isKnown }: SignInSubject): void {
		this.#pairs.delete(pair);
		if (isKnown) this.#known -= 1;
		else {
			this.#strangers -= 1;
			const left = this.#turnsAt(address) - 1;
			if (left === 0) this.#addresses.delete(address);
			else this.#addresses.set(address, left);
		}
		this.#next();
	}

	/** The oldest of an address that has too many waiting, and of all when they are too many together; strangers first. */
	#giveUp(address: string): void {
		const there = this.#waiting.filter((waiting) => waiting.address === address);
		const tooManyThere = there.length > this.#limits.waitingAtAddress;
		if (!tooManyThere && this.#waiting.length <= this.#limits.waiting) return;
		const candidates = tooManyThere ? there : this.#waiting;
		(candidates.find(({ isKnown }) => !isKnown) ?? candidates[0])?.refuse(tooMany());
	}
}

function tooMany(): SvcError {
	return new SvcError("SVC_TOO_MANY", `too many sign-ins at once; try again in ${retryAfter} seconds`, {
		facts: { retry_after: retryAfter },
	});
}
