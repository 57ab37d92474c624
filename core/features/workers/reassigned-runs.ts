import type { OutputType, RunContext, WorkerJobEntity, WriteOperation } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Sealing } from "./sealing.ts";
import type { StoredEnd, WorkerPiece } from "./workers-api.ts";

/** How many are read at once. */
const readLimit = 8;
/** After so many the worker is told that there is room again: it may be this many and more ahead, see `mostAhead`. */
const toldAfter = 8;
/** Most that a worker may hand over before the run has taken it. */
export const mostAhead = 32;
/**
 * Bytes of output that stay until the run has ended, counted from its last. The recorder holds less than an eighth of that in memory, so
 * that what is removed is on disk for certain, and a node that goes on with the run finds everything that is not.
 */
const keptBytes = 16_777_216;

type Counts = Record<OutputType, number>;

const none = (): Counts => ({ stdout: 0, stderr: 0, other: 0 });

export interface ReassignedRunsOptions extends Uses<"storage"> {
	readonly sealing: Sealing;
	readonly context: RunContext;
	/** Whether the service keeps output at all, so that what it has can be counted. */
	readonly isKept: boolean;
}

interface Row {
	readonly sequence: number;
	readonly bytes: Counts;
}

/**
 * Takes the output that a worker has handed over into the execution, each byte once: what an earlier process has recorded is skipped, by
 * counting.
 */
export class TakenOver {
	readonly #parts: ReassignedRunsOptions;
	readonly #id: string;
	/** Sequence of the last that was emitted, and of the last that the worker knows of. */
	#at = 0;
	#told = 0;
	#skip: Counts | undefined;
	#trimmed: Counts = none();
	/** Emitted and not removed. */
	readonly #rows: Row[] = [];
	#bytes = 0;

	constructor(id: string, parts: ReassignedRunsOptions) {
		this.#id = id;
		this.#parts = parts;
	}

	/** All that has been stored until the job was read, and what has come with its end, the last of it. */
	async take(job: Pick<WorkerJobEntity, "sequence" | "trimmed">, rest?: StoredEnd["rest"]): Promise<void> {
		this.#skip ??= this.#countRecorded(job);
		await this.#takeRows(rest === undefined ? job.sequence : rest.sequence - 1);
		if (rest !== undefined && this.#at < rest.sequence) await this.#emit(rest.sequence, rest.pieces);
	}

	async #takeRows(upTo: number): Promise<void> {
		while (this.#at < upTo) {
			const rows = await this.#parts.storage.find("worker_output", {
				where: { job: this.#id, sequence: { gt: this.#at } },
				orderBy: [["sequence", "asc"]],
				limit: readLimit,
			});
			if (rows.length === 0) return;
			for (const { sequence, data } of rows) {
				await this.#emit(sequence, this.#parts.sealing.open<readonly WorkerPiece[]>(data));
				if (sequence - this.#told >= toldAfter) await this.#tell();
			}
		}
	}

	#countRecorded({ trimmed }: Pick<WorkerJobEntity, "trimmed">): Counts {
		const { context } = this.#parts;
		this.#trimmed = { ...none(), ...trimmed };
		const left = (type: OutputType) => context.captured(type).bytes - this.#trimmed[type];
		return { stdout: left("stdout"), stderr: left("stderr"), other: left("other") };
	}

	async #emit(sequence: number, pieces: readonly WorkerPiece[]): Promise<void> {
		const skip = this.#skip as Counts;
		const bytes = none();
		for (const { type, data } of pieces) {
			const size = Buffer.byteLength(data);
			bytes[type] += size;
			const rest = skip[type] === 0 ? data : Buffer.from(data).subarray(skip[type]).toString();
			skip[type] = Math.max(0, skip[type] - size);
			if (rest !== "") await this.#parts.context.emit(type, rest);
		}
		this.#at = sequence;
		this.#bytes += total(bytes);
		this.#rows.push({ sequence, bytes });
	}

	/** Tell the worker that there is room, and let go of what is on disk. */
	async #tell(): Promise<void> {
		const { storage, isKept } = this.#parts;
		let upTo = 0;
		while (isKept && this.#rows[0] !== undefined && this.#bytes - total(this.#rows[0].bytes) >= keptBytes) {
			const { sequence, bytes } = this.#rows.shift() as Row;
			for (const type of ["stdout", "stderr", "other"] as const) this.#trimmed[type] += bytes[type];
			this.#bytes -= total(bytes);
			upTo = sequence;
		}
		const removed: WriteOperation[] = upTo === 0 ? [] : [{ remove: "worker_output", where: { job: this.#id, sequence: { lte: upTo } } }];
		const patch = { consumed: this.#at, ...(upTo > 0 && { trimmed: { ...this.#trimmed } }) };
		await storage.write([{ update: "worker_job", id: this.#id, patch, expected: { id: this.#id } }, ...removed]);
		this.#told = this.#at;
	}
}

function total({ stdout, stderr, other }: Counts): number {
	return stdout + stderr + other;
}
