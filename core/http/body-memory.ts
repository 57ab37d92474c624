import { SvcError } from "../contract/index.ts";

/** Fraction of the memory for bodies that the requests of one user may use. */
const maxUserFraction = 1 / 2;

/** The memory that the body of one request uses. */
export interface BodyAllocation {
	/** Counts bytes that have arrived. Throws `SVC_UNAVAILABLE` if the user, or all users together, would use too much memory. */
	add(bytes: number): void;
	/** Frees the memory, because the request has been answered. May be called more than once. */
	release(): void;
}

/**
 * Limits the memory that request bodies use at once, from their arrival until the request is answered. One user gets at most half of it, or
 * one body of the maximum size. So one user cannot cause the requests of all other users to be refused. Requests without a credential count
 * as one user.
 */
export class BodyMemory {
	readonly #maxBytes: number;
	readonly #maxUserBytes: number;
	/** Bytes by username. */
	readonly #userBytes = new Map<string, number>();
	#usedBytes = 0;

	/**
	 * @param total bytes of all bodies together; raised to `largest` if smaller
	 * @param largest bytes of the largest allowed body, which always fits if no other body is in memory
	 */
	constructor({ total, largest }: { readonly total: number; readonly largest: number }) {
		this.#maxBytes = Math.max(total, largest);
		this.#maxUserBytes = Math.max(this.#maxBytes * maxUserFraction, largest);
	}

	/** Bytes in use now. */
	get usedBytes(): number {
		return this.#usedBytes;
	}

	/** Starts counting the body of one request, with zero bytes. */
	allocate(username: string): BodyAllocation {
		let bodyBytes = 0;
		const count = (bytes: number) => {
			bodyBytes += bytes;
			this.#usedBytes += bytes;
			const userBytes = (this.#userBytes.get(username) ?? 0) + bytes;
			if (userBytes === 0) this.#userBytes.delete(username);
			else this.#userBytes.set(username, userBytes);
		};
		return {
			add: (bytes) => {
				const userBytes = (this.#userBytes.get(username) ?? 0) + bytes;
				if (userBytes > this.#maxUserBytes || this.#usedBytes + bytes > this.#maxBytes) {
					throw new SvcError("SVC_UNAVAILABLE", "body: the memory for request bodies is used up; try again");
				}
				count(bytes);
			},
			release: () => count(-bodyBytes),
		};
	}
}
