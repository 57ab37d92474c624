/** Milliseconds in which refusals are counted. */
const window = 60_000;
/** Entries of the same kind by the same user in that time. */
const mostAlike = 3;
/** Entries in that time. */
const most = 60;
/** Longer names are given by those who want to fill the record. */
const longestName = 128;

/** Keeps whoever is refused, again and again, from filling the record. */
export class RefusalLimit {
	readonly #now: () => number;
	#begun = 0;
	#count = 0;
	#skipped = 0;
	readonly #alike = new Map<string, number>();

	/** @param now milliseconds that only pass */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** Whether this one is to be recorded. */
	admits(key: string): boolean {
		if (this.#now() - this.#begun >= window) {
			this.#begun = this.#now();
			this.#count = 0;
			this.#alike.clear();
		}
		const alike = (this.#alike.get(key) ?? 0) + 1;
		if (this.#count >= most || alike > mostAlike) {
			this.#skipped += 1;
			return false;
		}
		this.#count += 1;
		this.#alike.set(key, alike);
		return true;
	}

	/** How many were not recorded since the last call. */
	takeSkipped(): number {
		const skipped = this.#skipped;
		this.#skipped = 0;
		return skipped;
	}
}

/** Who wants to sign in, as the request says it; empty where it does not. */
export function claimedUser(headers: Headers): string {
	const [, basic = ""] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(headers.get("authorization") ?? "") ?? [];
	const [name = ""] = Buffer.from(basic, "base64").toString("utf8").split(":", 1);
	return name.slice(0, longestName);
}
