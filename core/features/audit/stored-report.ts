import type { Storage } from "../../contract/index.ts";
import type { AuditEntry } from "./chain.ts";
import { type AuditReport, verifyRecord } from "./verify.ts";

/** Entries that are read at a time. */
const atOnce = 1_000;
/** Findings that are told: of a record that was written anew there may be as many as it has entries. */
const mostTold = 100;

/** What a look at the record of the storage has found. */
export interface StoredAuditReport extends AuditReport {
	/** All findings; of them the first 100 are told. */
	readonly findings_total: number;
}

/** Looks whether the record of the storage is as it was written. That reads all of it: whoever asks meanwhile gets the same answer. */
export class StoredReport {
	readonly #storage: Storage;
	#looking: Promise<StoredAuditReport> | undefined;

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	look(): Promise<StoredAuditReport> {
		this.#looking ??= this.#look().finally(() => {
			this.#looking = undefined;
		});
		return this.#looking;
	}

	/** What looks wrong is looked at again: the beginning may have been cut, as it was old enough, while it was read. */
	async #look(): Promise<StoredAuditReport> {
		const report = await this.#read();
		return report.findings_total === 0 ? report : this.#read();
	}

	async #read(): Promise<StoredAuditReport> {
		// First: what is signed meanwhile tells of entries that may not be read any more.
		const checkpoints = await this.#storage.find("audit_checkpoint", { orderBy: [["number", "asc"]] });
		const report = await verifyRecord(this.#entries(), { checkpoints });
		return { ...report, findings: report.findings.slice(0, mostTold), findings_total: report.findings.length };
	}

	async *#entries(): AsyncIterable<AuditEntry> {
		for (let last = 0; ; ) {
			const entries = await this.#storage.find("audit_entry", {
				where: { number: { gt: last } },
				orderBy: [["number", "asc"]],
				limit: atOnce,
			});
			yield* entries;
			const end = entries.at(-1);
			if (end === undefined) return;
			last = end.number;
		}
	}
}
