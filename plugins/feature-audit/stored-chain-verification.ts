import type { Storage } from "../../core/contract/index.ts";
import type { AuditEntry } from "./entry-hash.ts";
import { type AuditReport, verifyRecord } from "./verify-chain.ts";

/** Number of entries that are read at once. */
const atOnce = 1_000;
/** Maximum number of returned findings. A rewritten record may have as many findings as entries. */
const maxFindings = 100;

/** Result of verifying the stored record. */
export interface StoredAuditReport extends AuditReport {
	/** Number of all findings. Only the first 100 are returned. */
	readonly findings_total: number;
}

/** Verifies the stored record, which reads all entries. Concurrent callers share one verification. */
export class StoredChainVerification {
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

	/** Verifies again after findings, because retention may have removed the beginning of the record while it was read. */
	async #look(): Promise<StoredAuditReport> {
		const report = await this.#read();
		return report.findings_total === 0 ? report : this.#read();
	}

	async #read(): Promise<StoredAuditReport> {
		// Read the checkpoints first. One that is signed during the verification may belong to an entry that is added after the last read.
		const checkpoints = await this.#storage.find("audit_checkpoint", { orderBy: [["number", "asc"]] });
		const report = await verifyRecord(this.#entries(), { checkpoints });
		return { ...report, findings: report.findings.slice(0, maxFindings), findings_total: report.findings.length };
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
