import { setTimeout as delay } from "node:timers/promises";
import { isSvcError, KeyedMutex, type Storage, SvcError, type WriteOperation } from "../../core/contract/index.ts";
import { createId, type Uses } from "../../core/feature.ts";
import { type AuditDraft, type AuditEntry, type ChainHead, chain, emptyChainHead } from "./entry-hash.ts";

/** Maximum number of attempts when nodes append at the same time. */
const maxAttempts = 50;
/** Maximum milliseconds between two attempts. */
const maxPause = 20;

export interface AuditChainDependencies extends Uses<"storage" | "clock"> {
	/** Called with the end of the chain after each write. */
	readonly onAppended: (head: ChainHead, added: number) => void;
}

/**
 * Stored chain of audit entries. Entry numbers are unique, which prevents nodes from creating two chains. The slower node finds the number
 * taken, and appends its entries after those of the other node.
 */
export class AuditChain {
	readonly #parts: AuditChainDependencies;
	readonly #turns = new KeyedMutex();
	/**
	 * Last entry that this node has seen. If the end of the record is removed later, the next entry leaves a gap that verification finds.
	 */
	#head: ChainHead | undefined;

	constructor(parts: AuditChainDependencies) {
		this.#parts = parts;
	}

	/**
	 * Stores entries together with the changes that they describe, all or none. Throws `SVC_UNAVAILABLE` if the entries cannot be stored.
	 */
	append(drafts: readonly AuditDraft[], operations: readonly WriteOperation[] = [], store: Storage["write"] = this.#store): Promise<void> {
		return this.#turns.runExclusive("chain", async () => {
			for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
				const head = (this.#head ??= await this.head());
				const entries = chain(drafts, head);
				// Insert the entries last in the transaction. While the insert waits because another node inserts the same number, it then
				// blocks only writers that also need that number.
				const inserted = { insert: "audit_entry", entities: entries.map((entry) => this.#toEntity(entry)) } as const;
				try {
					await store([...operations, inserted]);
				} catch (error) {
					if (!(await this.#isOvertaken(error, head))) throw toUnavailable(error);
					await delay(Math.random() * maxPause);
					continue;
				}
				return this.#note(entries);
			}
			throw new SvcError("SVC_UNAVAILABLE", "too many concurrent requests write to the audit record; try again");
		});
	}

	/** Returns number and hash of the last stored entry. */
	async head(): Promise<ChainHead> {
		const [last] = await this.#parts.storage.find("audit_entry", { orderBy: [["number", "desc"]], limit: 1, fields: ["number", "hash"] });
		return last === undefined ? emptyChainHead : { number: last.number, hash: last.hash };
	}

	readonly #store: Storage["write"] = (operations) => this.#parts.storage.write(operations);

	#note(entries: readonly AuditEntry[]): void {
		const last = entries.at(-1);
		if (last === undefined) return;
		this.#head = { number: last.number, hash: last.hash };
		this.#parts.onAppended(this.#head, entries.length);
	}

	#toEntity(entry: AuditEntry) {
		return { id: createId(this.#parts.clock), ...entry };
	}

	/** Returns true if another node has appended entries. Otherwise the change itself caused the error. */
	async #isOvertaken(error: unknown, head: ChainHead): Promise<boolean> {
		if (!isSvcError(error, "SVC_CONFLICT")) {
			// The write may have succeeded in spite of the error, so that the end of the chain must be read again.
			this.#head = undefined;
			return false;
		}
		const actual = await this.head();
		if (actual.number <= head.number) return false;
		this.#head = actual;
		return true;
	}
}

/** Converts unexpected errors of the storage to `SVC_UNAVAILABLE`, because the caller has not caused them. */
function toUnavailable(error: unknown): unknown {
	if (isSvcError(error) || error instanceof TypeError) return error;
	return new SvcError("SVC_UNAVAILABLE", "the audit entry of the change cannot be stored; nothing was changed", {
		cause: error,
	});
}
