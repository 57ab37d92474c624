import { SvcError } from "../contract/index.ts";

/** Part of the total that the requests of one user may hold. */
const userShare = 1 / 2;

/** The share of one request in the memory for bodies. */
export interface HeldBody {
	/** Counts bytes that have arrived. Throws `SVC_UNAVAILABLE` if the user, or all users together, would hold too many. */
	add(bytes: number): void;
	/** The request has been answered. May be called twice. */
	release(): void;
}

/**
 * Bounds the bytes of request bodies that the process holds at once, from their arrival to the answer. One user gets at most half of them, so that
 * one sender cannot have the requests of all others refused. Requests without a credential count as one user.
 */
export class BodyMemory {
	readonly #total: number;
	readonly #share: number;
	readonly #users = new Map<string, number>();
	#held = 0;

	/** One body of `largest` bytes always fits, whatever `total` is. */
	constructor({ total, largest }: { readonly total: number; readonly largest: number }) {
		this.#total = Math.max(total, largest);
		this.#share = Math.max(this.#total * userShare, largest);
	}

	/** Bytes held now. */
	get held(): number {
		return this.#held;
	}

	/** Starts counting the body of one request. */
	hold(username: string): HeldBody {
		let size = 0;
		const count = (bytes: number) => {
			size += bytes;
			this.#held += bytes;
			const ofUser = (this.#users.get(username) ?? 0) + bytes;
			if (ofUser === 0) this.#users.delete(username);
			else this.#users.set(username, ofUser);
		};
		return {
			add: (bytes) => {
				const ofUser = (this.#users.get(username) ?? 0) + bytes;
				if (ofUser > this.#share || this.#held + bytes > this.#total) {
					throw new SvcError("SVC_UNAVAILABLE", "body: other requests use all memory for bodies; try again");
				}
				count(bytes);
			},
			release: () => count(-size),
		};
	}
}
