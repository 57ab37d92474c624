import { type KeyValueEntity, type Options, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { addToCache } from "../../lib/bounded-cache.ts";

export interface UserQuotaDependencies extends Uses<"storage"> {
	readonly limits: Pick<Options["keyvalue"], "user_items" | "user_bytes">;
	/** Returns the milliseconds of a monotonic clock. Default: `performance.now`. */
	readonly now?: () => number;
}

interface Usage {
	items: number;
	bytes: number;
	readonly readAt: number;
}

/** Milliseconds for which a usage is cached. Writes of other nodes within this time are not counted. */
const freshFor = 10_000;
/** Maximum number of users whose usage is cached. */
const maxUsers = 1_000;
/** Maximum number of items that one query reads. */
const batch = 100;

/**
 * Limits the items in the scope of each user, which need no permission. When a user stores more, the usage is read from the storage, at
 * most every ten seconds. In between, this node counts only its own writes. So several nodes together can exceed a limit by their writes
 * within ten seconds.
 */
export class UserQuota {
	readonly #parts: UserQuotaDependencies;
	readonly #usages = new Map<string, Promise<Usage>>();

	constructor(parts: UserQuotaDependencies) {
		this.#parts = parts;
	}

	/**
	 * Counts a change of a user's items before it is written.
	 *
	 * @param before the stored item; undefined if there is none
	 * @param after the item to store; undefined if it is removed
	 * @returns a function that reverts the count; call it if the write fails
	 * @throws `SVC_FORBIDDEN` if the change would exceed a limit
	 */
	async reserve(user: string, before: KeyValueEntity | undefined, after: KeyValueEntity | undefined): Promise<() => void> {
		const items = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
		const bytes = toSize(after) - toSize(before);
		const grows = items > 0 || bytes > 0;
		// A change that reduces the usage is counted only if the usage is cached; it does not justify a read.
		const usage = await (grows ? this.#usageOf(user) : this.#usages.get(user));
		if (usage === undefined) return () => undefined;
		if (grows) this.#assertFits(user, { items: items > 0 ? usage.items + items : 0, bytes: usage.bytes + bytes });
		usage.items += items;
		usage.bytes += bytes;
		return () => {
			usage.items -= items;
			usage.bytes -= bytes;
		};
	}

	#assertFits(user: string, { items, bytes }: { readonly items: number; readonly bytes: number }): void {
		const { user_items, user_bytes } = this.#parts.limits;
		const hint = "delete items, or ask an administrator for a higher limit";
		if (items > user_items) {
			throw new SvcError(
				"SVC_FORBIDDEN",
				`user ${user} may store at most ${user_items} items in the user's own scope (keyvalue.user_items): ${hint}`,
			);
		}
		if (bytes > user_bytes) {
			throw new SvcError(
				"SVC_FORBIDDEN",
				`user ${user} may store at most ${user_bytes} bytes in the user's own scope (keyvalue.user_bytes): ${hint}`,
			);
		}
	}

	async #usageOf(user: string): Promise<Usage> {
		const now = this.#parts.now?.() ?? performance.now();
		const known = this.#usages.get(user);
		const usage = await known;
		if (usage !== undefined && now - usage.readAt < freshFor) return usage;
		// Only one of the concurrent callers reads the usage again; the others wait for its result.
		const current = this.#usages.get(user);
		if (current !== undefined && current !== known) return current;
		return this.#remember(user, this.#read(user, now));
	}

	#remember(user: string, reading: Promise<Usage>): Promise<Usage> {
		this.#usages.delete(user);
		addToCache(this.#usages, user, reading, maxUsers);
		reading.catch(() => this.#usages.delete(user));
		return reading;
	}

	/** Reads the usage of a user. Stops once a limit is exceeded, because the excess does not matter. */
	async #read(user: string, readAt: number): Promise<Usage> {
		const { storage, limits } = this.#parts;
		const usage = { items: 0, bytes: 0, readAt };
		const where = { scope: "svckv.user", user, name: { prefix: `${user}:` } } as const;
		let after = "";
		while (usage.items <= limits.user_items && usage.bytes <= limits.user_bytes) {
			const read = await storage.find("key_value", {
				where: { ...where, id: { gt: after } },
				orderBy: [["id", "asc"]],
				limit: batch,
				fields: ["value", "description"],
			});
			for (const item of read) usage.bytes += toSize(item);
			usage.items += read.length;
			after = read.at(-1)?.id ?? after;
			if (read.length < batch) break;
		}
		return usage;
	}
}

function toSize(item: Pick<KeyValueEntity, "value" | "description"> | undefined): number {
	return item === undefined ? 0 : Buffer.byteLength(item.value) + Buffer.byteLength(item.description ?? "");
}
