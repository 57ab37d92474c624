import { isSvcError, type Meters, type PackContentFile, SvcError, type WriteOperation } from "../../core/contract/index.ts";
import { createId, type Uses } from "../../core/feature.ts";
import type { WorkerJobEntity } from "./entities.ts";
import type { JobEncryption } from "./job-encryption.ts";
import type { WorkerNotifications } from "./worker-notifications.ts";
import { maxAhead } from "./worker-output-recorder.ts";
import type { JobReporting, Reporter, StoredEnd, WorkerEnd, WorkerOutput, WorkerPiece } from "./workers-exports.ts";

export interface JobReportsDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly hub: Meters;
	readonly sealing: JobEncryption;
	readonly notifications: WorkerNotifications;
	readonly contents: {
		files(content: string): Promise<readonly PackContentFile[]>;
		readBytes(content: string, start: number, length: number): Promise<Buffer>;
	};
}

/** Credentials of a request about a job; the stored job must match them. */
interface Claim {
	readonly fence: string;
	readonly reporter: Reporter;
}

/** Fields of a job that are needed to handle a request. The specification is omitted, because it may be large. */
type Asked = Pick<WorkerJobEntity, "id" | "status" | "fence" | "user" | "sequence" | "consumed" | "content" | "labels" | "worker">;

const fields = ["status", "fence", "user", "sequence", "consumed", "content", "labels", "worker"] as const;

/**
 * Stores the output and the ends that workers report for their jobs. Each write expects the fence with which the job was assigned. Output
 * of a worker that lost the job, or of any other client, is therefore never stored.
 */
export class JobReports implements JobReporting {
	readonly #parts: JobReportsDependencies;
	readonly #refused;

	constructor(parts: JobReportsDependencies) {
		this.#parts = parts;
		this.#refused = parts.hub.counter({
			name: "svc_worker_requests_refused_total",
			help: "Requests of workers for jobs that were not or no longer assigned to them; each was refused.",
		});
	}

	async labelsOf(id: string): Promise<readonly string[]> {
		const [job] = await this.#parts.storage.find("worker_job", { where: { id }, limit: 1, fields: ["labels"] });
		return job?.labels ?? [];
	}

	async output(job: string, { fence, sequence, pieces }: WorkerOutput, reporter: Reporter): Promise<boolean> {
		const claim = { fence, reporter };
		const found = await this.#need(job, claim);
		if (sequence - found.consumed > maxAhead) return false;
		const update = {
			update: "worker_job",
			id: job,
			patch: { sequence },
			expected: { ...toExpected(claim), sequence: sequence - 1 },
		} as const;
		await this.#write(job, claim, { sequence, operations: [update, this.#toInsert(job, sequence, pieces)] });
		this.#parts.notifications.notify({ about: "news", job });
		return true;
	}

	async end(job: string, given: WorkerEnd, reporter: Reporter): Promise<void> {
		const { sealing, notifications } = this.#parts;
		const { fence, sequence, pieces, ...result } = given;
		const claim = { fence, reporter };
		const found = await this.#find(job);
		// The worker repeats a request whose response was lost. The first stored end counts.
		if (found?.status === "ended" && isItsOwn(found, claim)) return;
		this.#assertHeld(job, found, claim);
		// Output that arrives with the end is stored in the job itself. A separate row would have to be read and removed again.
		const isLast = pieces.length > 0 && sequence > found.sequence;
		const end: StoredEnd = isLast ? { ...result, rest: { sequence, pieces } } : result;
		const patch = { status: "ended", result: sealing.close(end), ...(isLast && { sequence }) } as const;
		const before = isLast ? sequence - 1 : found.sequence;
		const update = { update: "worker_job", id: job, patch, expected: { ...toExpected(claim), sequence: before } } as const;
		await this.#write(job, claim, { sequence: before + 1, operations: [update] });
		notifications.notify({ about: "news", job });
		notifications.notify({ about: "room", job, worker: found.worker ?? undefined });
	}

	async files(job: string, fence: string, reporter: Reporter): Promise<readonly PackContentFile[]> {
		const { content } = await this.#need(job, { fence, reporter });
		return content === null ? [] : this.#parts.contents.files(content);
	}

	async bytes(
		job: string,
		{ fence, start, length }: { readonly fence: string; readonly start: number; readonly length: number },
		reporter: Reporter,
	): Promise<Buffer> {
		const { content } = await this.#need(job, { fence, reporter });
		return content === null ? Buffer.alloc(0) : this.#parts.contents.readBytes(content, start, length);
	}

	#toInsert(job: string, sequence: number, pieces: readonly WorkerPiece[]): WriteOperation {
		const { clock, sealing } = this.#parts;
		return { insert: "worker_output", entities: [{ id: createId(clock), job, sequence, data: sealing.close(pieces) }] };
	}

	async #find(id: string): Promise<Asked | undefined> {
		const [job] = await this.#parts.storage.find("worker_job", { where: { id }, limit: 1, fields });
		return job;
	}

	/** Returns the job if this worker holds it. Otherwise throws `SVC_CONFLICT`, whether or not the job exists. */
	async #need(id: string, claim: Claim): Promise<Asked> {
		const job = await this.#find(id);
		this.#assertHeld(id, job, claim);
		return job;
	}

	#assertHeld(id: string, job: Asked | undefined, claim: Claim): asserts job is Asked {
		if (job?.status !== "taken" || !isItsOwn(job, claim)) throw this.#toStale(id, claim.reporter);
		claim.reporter.assertLabels(job.labels);
	}

	/** Writes the operations, unless they are already stored: workers repeat requests whose response was lost. */
	async #write(
		job: string,
		claim: Claim,
		{ sequence, operations }: { readonly sequence: number; readonly operations: readonly WriteOperation[] },
	): Promise<void> {
		try {
			await this.#parts.storage.write(operations);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const found = await this.#need(job, claim);
			if (found.sequence >= sequence) return;
			throw new SvcError("SVC_INVALID", `sequence: must be ${found.sequence + 1}, the number after the last stored chunk`);
		}
	}

	/** Creates the error for a job that the worker does not hold. It does not disclose whether the job exists. */
	#toStale(id: string, { username: user }: Reporter): SvcError {
		this.#refused.record(1);
		this.#parts.logger.warn("refused a worker's request about a job that is not assigned to it", { job: id, user });
		return new SvcError("SVC_CONFLICT", `job "${id}" is not or no longer assigned to this worker`);
	}
}

function isItsOwn(job: Asked, { fence, reporter }: Claim): boolean {
	return job.fence === fence && job.user === reporter.username;
}

function toExpected({ fence, reporter }: Claim) {
	return { fence, user: reporter.username, status: "taken" } as const;
}
