import { setTimeout as delay } from "node:timers/promises";
import { isSvcError, KeyedMutex, type Storage, SvcError, type WriteOperation } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { type AuditDraft, type AuditEntry, chain, emptyHead, type Head } from "./chain.ts";

/** Nodes that write at the same time try again this often. */
const mostAttempts = 50;
/** Milliseconds at most between two of them. */
const longestPause = 20;

export interface AuditChainOptions extends Uses<"storage" | "clock"> {
	/** Called with the end of the chain after each write. */
	readonly onAppended: (head: Head, added: number) => void;
}

/**
 * The record, as the storage keeps it. That no two entries have the same number is what keeps nodes from making two chains of it: whoever
 * was slower finds the number taken, and follows the entry that took it.
 */
export class AuditChain {
	readonly #parts: AuditChainOptions;
	readonly #turns = new KeyedMutex();
	/** As far as this node knows. What was cut off since shows as a gap then. */
	#head: Head | undefined;

	constructor(parts: AuditChainOptions) {
		this.#parts = parts;
	}

	/** Store entries together with what they tell of, all or none. `SVC_UNAVAILABLE` where the entries cannot be stored. */
	append(drafts: readonly AuditDraft[], operations: readonly WriteOperation[] = [], store: Storage["write"] = this.#store): Promise<void> {
		return this.#turns.runExclusive("chain", async () => {
			for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
				const head = (this.#head ??= await this.head());
				const entries = chain(drafts, head);
				// Last: whoever waits for the number of another node holds up nobody but those that wait for it, too.
				const inserted = { insert: "audit_entry", entities: entries.map((entry) => this.#toEntity(entry)) } as const;
				try {
					await store([...operations, inserted]);
				} catch (error) {
					if (!(await this.#isOvertaken(error, head))) throw toUnavailable(error);
					await delay(Math.random() * longestPause);
					continue;
				}
				return this.#note(entries);
			}
			throw new SvcError("SVC_UNAVAILABLE", "the audit record is written by others all the time; try again");
		});
	}

	/** The last entry that is stored. */
	async head(): Promise<Head> {
		const [last] = await this.#parts.storage.find("audit_entry", { orderBy: [["number", "desc"]], limit: 1, fields: ["number", "hash"] });
		return last === undefined ? emptyHead : { number: last.number, hash: last.hash };
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

	/** Whether another node has written meanwhile; else what failed is about the change itself. */
	async #isOvertaken(error: unknown, head: Head): Promise<boolean> {
		if (!isSvcError(error, "SVC_CONFLICT")) {
			// It may have happened all the same.
			this.#head = undefined;
			return false;
		}
		const actual = await this.head();
		if (actual.number <= head.number) return false;
		this.#head = actual;
		return true;
	}
}

/** What the storage could not say in the words of its contract is no fault of whoever asked. */
function toUnavailable(error: unknown): unknown {
	if (isSvcError(error) || error instanceof TypeError) return error;
	return new SvcError("SVC_UNAVAILABLE", "the change cannot be stored with its entry in the audit record; nothing was changed", {
		cause: error,
	});
}
