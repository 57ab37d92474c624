import { type AuditCheckpoint, isSigned, toKeyId } from "./checkpoint.ts";
import { type AuditEntry, genesis, toEntryHash } from "./entry-hash.ts";

/** Difference from the record as it was written. */
export interface AuditFinding {
	/** Number of the entry with the difference, or of the first of several. */
	readonly number: number;
	readonly problem: string;
}

/** Result of verifying a record. */
export interface AuditReport {
	readonly entries: number;
	readonly first: number | null;
	readonly last: number | null;
	/** Number of checkpoints that the record was compared with. */
	readonly checkpoints: number;
	/** Ids of the keys that have signed the checkpoints. */
	readonly keys: readonly string[];
	readonly findings: readonly AuditFinding[];
}

export interface VerifyOptions {
	/** Checkpoints that were signed earlier, from any source. */
	readonly checkpoints: readonly AuditCheckpoint[];
	/** Ids of the trusted keys. Default: all keys are trusted. */
	readonly keys?: readonly string[] | undefined;
}

/** Verifies that a record has not changed since it was written. The entries must be in ascending order of their numbers. */
export async function verifyRecord(
	entries: AsyncIterable<AuditEntry> | Iterable<AuditEntry>,
	options: VerifyOptions,
): Promise<AuditReport> {
	const walk = new Walk(options);
	for await (const entry of entries) walk.look(entry);
	return walk.end();
}

const range = (from: number, to: number) => (from === to ? `entry ${from} is` : `entries ${from} to ${to} are`);

/** Verification of one chain, entry by entry. */
class Walk {
	readonly #checkpoints = new Map<number, AuditCheckpoint>();
	readonly #keys = new Set<string>();
	readonly #findings: AuditFinding[] = [];
	#count = 0;
	#first: number | null = null;
	#last: AuditEntry | undefined;
	/** Number of the last entry that matches a checkpoint. */
	#signed = 0;

	constructor({ checkpoints, keys }: VerifyOptions) {
		for (const checkpoint of checkpoints) this.#take(checkpoint, keys);
	}

	#take(checkpoint: AuditCheckpoint, keys: readonly string[] | undefined): void {
		const { number, hash, public_key } = checkpoint;
		if (!isSigned(checkpoint)) return this.#find(number, `the checkpoint of entry ${number} was changed: its signature is wrong`);
		const key = toKeyId(public_key);
		if (keys?.includes(key) === false) return this.#find(number, `the checkpoint of entry ${number} is signed by an unknown key, ${key}`);
		this.#keys.add(key);
		const known = this.#checkpoints.get(number);
		if (known !== undefined && known.hash !== hash) this.#find(number, `checkpoints of entry ${number} disagree: the record was rewritten`);
		this.#checkpoints.set(number, checkpoint);
	}

	look(entry: AuditEntry): void {
		const { number, hash } = entry;
		this.#count += 1;
		if (this.#last === undefined) this.#begin(entry);
		else this.#follow(entry, this.#last);
		if (toEntryHash(entry) !== hash) this.#find(number, `entry ${number} was changed: its hash does not match its contents`);
		const checkpoint = this.#checkpoints.get(number);
		if (checkpoint !== undefined) this.#compare(entry, checkpoint);
		this.#last = entry;
	}

	#begin({ number, previous_hash }: AuditEntry): void {
		this.#first = number;
		if (number === 1) {
			if (previous_hash !== genesis) this.#find(1, "entry 1 was changed: it refers to an earlier entry");
			return;
		}
		const anchor = this.#checkpoints.get(number - 1);
		if (anchor?.hash === previous_hash) return;
		this.#find(1, `${range(1, number - 1)} missing, without a checkpoint that explains it`);
	}

	#follow({ number, previous_hash }: AuditEntry, last: AuditEntry): void {
		const expected = last.number + 1;
		if (number < expected) this.#find(number, `entry ${number} is duplicated or out of order`);
		else if (number > expected) this.#find(expected, `${range(expected, number - 1)} missing: removed from the middle of the record`);
		else if (previous_hash !== last.hash) this.#find(last.number, `entry ${last.number} was replaced: entry ${number} follows another one`);
	}

	#compare({ number, hash }: AuditEntry, checkpoint: AuditCheckpoint): void {
		if (checkpoint.hash === hash) this.#signed = number;
		else
			this.#find(
				this.#signed + 1,
				`entries ${this.#signed + 1} to ${number} were rewritten: the checkpoint of ${checkpoint.timestamp} has a different hash of entry ${number}`,
			);
	}

	end(): AuditReport {
		const last = this.#last?.number ?? 0;
		const latest = [...this.#checkpoints.values()].sort((a, b) => b.number - a.number)[0];
		if (latest !== undefined && latest.number > last)
			this.#find(
				last + 1,
				`${range(last + 1, latest.number)} missing: removed from the end, although the checkpoint of ${latest.timestamp} includes them`,
			);
		return {
			entries: this.#count,
			first: this.#first,
			last: this.#last?.number ?? null,
			checkpoints: this.#checkpoints.size,
			keys: [...this.#keys].sort(),
			findings: this.#findings,
		};
	}

	#find(number: number, problem: string): void {
		this.#findings.push({ number, problem });
	}
}
