import type { Clock } from "../../core/contract/index.ts";

export interface GroupCacheLimits {
	/** Seconds an entry counts; 0 keeps nothing. */
	readonly ttl: number;
	/** Most entries. */
	readonly size: number;
}

interface Entry {
	readonly owner: string;
	readonly groups: readonly string[];
	/** Microseconds. */
	readonly expires: number;
}

/** Groups of users by name as typed. Holds nothing that could let anybody in without the directory's yes to the password. */
export class GroupCache {
	readonly #limits: GroupCacheLimits;
	readonly #clock: Clock;
	/** The least recently used first. */
	readonly #entries = new Map<string, Entry>();

	constructor(limits: GroupCacheLimits, clock: Clock) {
		this.#limits = limits;
		this.#clock = clock;
	}

	/** @param owner whose groups they are: a name may come to mean another entry of the directory */
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
