import { SvcError } from "../../contract/index.ts";

const retryAfter = 5;

export interface SignInConcurrencyLimits {
	readonly underWay: number;
	/** Maximum number of active sign-ins from one address, so that a single address cannot take all slots. */
	readonly atAddress: number;
	readonly waitingAtAddress: number;
	readonly waiting: number;
	/** Milliseconds that a sign-in may wait for a slot. */
	readonly wait: number;
}

/** Default limits. Password hashes are CPU-intensive by design, and a directory has few connections. */
const defaultLimits: SignInConcurrencyLimits = { underWay: 8, atAddress: 4, waitingAtAddress: 64, waiting: 512, wait: 10_000 };

/** User and address of a sign-in. */
export interface SignInSubject {
	/**
	 * Key of the user at the address. Sign-ins with the same key run one at a time: otherwise many concurrent guesses would start before
	 * the first failure is counted.
	 */
	readonly pair: string;
	readonly address: string;
	/** True if the user has signed in from this address before. */
	readonly isKnown: boolean;
}

interface Waiting extends SignInSubject {
	begin(): void;
	refuse(reason: unknown): void;
}

/**
 * Limits concurrent sign-ins at the auth backend, so that a valid sign-in does not wait for all the invalid ones. Users at addresses from
 * which they have signed in before have separate slots. Among the others, sign-ins of the address with the fewest active ones are first,
 * the latest one before older ones. If too many wait, the oldest are refused, because their clients have waited longest.
 */
export class SignInConcurrency {
	/** Waiting sign-ins, the oldest first. */
	#waiting: Waiting[] = [];
	readonly #pairs = new Set<string>();
	/** Number of active sign-ins at each address, without users who have signed in from it before. */
	readonly #addresses = new Map<string, number>();
	readonly #limits: SignInConcurrencyLimits;
	#known = 0;
	#strangers = 0;

	constructor(limits: SignInConcurrencyLimits = defaultLimits) {
		this.#limits = limits;
	}

	/**
	 * Runs `work` as soon as a slot is free. Throws `SVC_TOO_MANY` with `retry_after` if too many sign-ins wait or the wait takes too long,
	 * and the signal's reason on abort.
	 */
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

	/**
	 * Refuses the oldest waiting sign-in of the address if too many wait for the address, or of all addresses if too many wait in total.
	 * Users who have not signed in from their address before are refused first.
	 */
	#giveUp(address: string): void {
		const there = this.#waiting.filter((waiting) => waiting.address === address);
		const tooManyThere = there.length > this.#limits.waitingAtAddress;
		if (!tooManyThere && this.#waiting.length <= this.#limits.waiting) return;
		const candidates = tooManyThere ? there : this.#waiting;
		(candidates.find(({ isKnown }) => !isKnown) ?? candidates[0])?.refuse(tooMany());
	}
}

function tooMany(): SvcError {
	return new SvcError("SVC_TOO_MANY", `too many concurrent sign-ins; try again in ${retryAfter} seconds`, {
		facts: { retry_after: retryAfter },
	});
}
