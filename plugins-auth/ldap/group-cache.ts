import type { Clock } from "../../core/contract/index.ts";

export interface GroupCacheLimits {
	/** Seconds for which an entry is valid; 0 disables the cache. */
	readonly ttl: number;
	/** Maximum number of entries. */
	readonly size: number;
}

interface Entry {
	readonly owner: string;
	readonly groups: readonly string[];
	/** Expiry time in microseconds. */
	readonly expires: number;
}

/** Caches the groups of users by the username as typed. The directory still verifies the password at each sign-in. */
export class GroupCache {
	readonly #limits: GroupCacheLimits;
	readonly #clock: Clock;
	/** Entries by username, the least recently used first. */
	readonly #entries = new Map<string, Entry>();

	constructor(limits: GroupCacheLimits, clock: Clock) {
		this.#limits = limits;
		this.#clock = clock;
	}

	/**
	 * Returns the cached groups of a user, or undefined if there are none.
	 *
	 * @param owner distinguished name of the user; a username may later refer to another entry
	 */
	get(username: string, owner: string): readonly string[] | undefined {
		const entry = this.#entries.get(username);
		if (entry === undefined) return undefined;
		this.#entries.delete(username);
		if (entry.owner !== owner || entry.expires <= this.#clock.now()) return undefined;
		this.#entries.set(username, entry);
		return entry.groups;
	}

	set(username: string, owner: string, groups: readonly string[]): void {
		this.#entries.delete(username);
		this.#entries.set(username, { owner, groups, expires: this.#clock.now() + this.#limits.ttl * 1_000_000 });
		for (const oldest of this.#entries.keys()) {
			if (this.#entries.size <= this.#limits.size) return;
			this.#entries.delete(oldest);
		}
	}
}
