import type { OutputType, RunContext, WriteOperation } from "../../core/contract/index.ts";
import type { Uses } from "../../core/feature.ts";
import type { WorkerJobEntity } from "./entities.ts";
import type { JobEncryption } from "./job-encryption.ts";
import type { StoredEnd, WorkerPiece } from "./workers-exports.ts";

/** Maximum number of rows of output that one query reads. */
const readLimit = 8;
/** Number of recorded outputs after which they are acknowledged. If it exceeded `maxAhead`, the worker would wait forever. */
const toldAfter = 8;
/** Maximum number of outputs that a worker may send ahead of the last acknowledged one. */
export const maxAhead = 32;
/**
 * Bytes of the latest output whose rows are kept until the run has ended. The recorder buffers less than an eighth of that in memory.
 * Removed output is therefore always on disk, and a node that recovers the run finds all other output in these rows.
 */
const keptBytes = 16_777_216;

type Counts = Record<OutputType, number>;

const none = (): Counts => ({ stdout: 0, stderr: 0, other: 0 });

export interface WorkerOutputRecorderDependencies extends Uses<"storage"> {
	readonly sealing: JobEncryption;
	readonly context: RunContext;
	/** True if the service stores the output of executions. Otherwise no row is removed before the run has ended. */
	readonly isKept: boolean;
}

interface Row {
	readonly sequence: number;
	readonly bytes: Counts;
}

/** Records the output of a worker in the execution, each byte once. Counts and skips the bytes that an earlier process has recorded. */
export class WorkerOutputRecorder {
	readonly #parts: WorkerOutputRecorderDependencies;
	readonly #id: string;
	/** Sequence of the last recorded output, and of the last one acknowledged to the worker. */
	#at = 0;
	#told = 0;
	#skip: Counts | undefined;
	#trimmed: Counts = none();
	/** Rows that were recorded but not removed yet. */
	readonly #rows: Row[] = [];
	#bytes = 0;

	constructor(id: string, parts: WorkerOutputRecorderDependencies) {
		this.#id = id;
		this.#parts = parts;
	}

	/** Records all output that was stored when the job was read, and the final output that was stored with the end. */
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

	/** Acknowledges the recorded output (`consumed`), so that the worker may send more. Removes rows whose output is on disk. */
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
