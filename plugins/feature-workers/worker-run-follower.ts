import { hostname } from "node:os";
import { isSvcError, RunAborted, type RunResult, SvcError } from "../../core/contract/index.ts";
import { type KernelRunContext, type Uses, wait } from "../../core/feature.ts";
import type { WorkerEntity, WorkerJobEntity } from "./entities.ts";
import type { JobEncryption } from "./job-encryption.ts";
import type { WorkerNotifications } from "./worker-notifications.ts";
import { WorkerOutputRecorder } from "./worker-output-recorder.ts";
import type { StoredEnd } from "./workers-exports.ts";

/** Milliseconds between retries while the storage is unavailable. */
const retryPause = 500;

/** Fields of a job that are polled. The specification is omitted, because it may be large. */
export type FollowedJob = Omit<WorkerJobEntity, "spec" | "user" | "fence" | "consumed" | "execution_id">;

const fields = [
	...(["runner", "status", "stop", "worker", "worker_name", "lease_expires_at", "sequence"] as const),
	...(["content", "created_at", "labels", "trimmed", "result"] as const),
];

export interface WorkerRunFollowerDependencies extends Uses<"storage" | "logger"> {
	readonly sealing: JobEncryption;
	readonly notifications: Pick<WorkerNotifications, "notify">;
	/** True if the output of executions is stored. */
	readonly isOutputKept: boolean;
	/** Returns true if the lease of the job has expired, so that its worker counts as gone. */
	readonly isLapsed: (job: FollowedJob) => boolean;
	/** Protects the pack files of a waiting job from removal. */
	readonly keepContent: (job: FollowedJob) => Promise<void>;
	/** Returns the reason why no worker has taken the job. */
	readonly toReason: (job: FollowedJob) => Promise<string>;
	/** Returns the host and process id of a worker. */
	readonly placeOf: (worker: string) => Promise<Pick<WorkerEntity, "hostname" | "pid">>;
	readonly context: KernelRunContext;
	/** Refs of the policies that demand labels of the worker. */
	readonly policies: readonly string[];
}

/**
 * Follows a run on a worker, on the node that holds the execution. The node does everything that belongs to the service: parameters,
 * time-out, recording and end. The work itself is a stored record (`worker_job`). Any node can serve the worker, and a node that recovers
 * the execution continues with the same record. The job is offered only once, so that nothing runs twice.
 */
export class WorkerRunFollower {
	readonly #parts: WorkerRunFollowerDependencies;
	readonly #id: string;
	readonly #output: WorkerOutputRecorder;
	#shown: string | undefined;
	#hasRows = true;
	#isNews = false;
	#onNews: () => void = () => {};

	constructor(parts: WorkerRunFollowerDependencies) {
		const { context, isOutputKept: isKept } = parts;
		this.#parts = parts;
		this.#id = context.liveaction_id;
		this.#output = new WorkerOutputRecorder(this.#id, { ...parts, isKept });
		context.signal.addEventListener("abort", () => this.wake(), { once: true });
		if (context.signal.aborted) this.wake();
	}

	/** True if output of the run may be stored in separate rows (`worker_output`). */
	get hasRows(): boolean {
		return this.#hasRows;
	}

	/** Signals that the job may have changed. */
	wake(): void {
		this.#isNews = true;
		this.#onNews();
	}

	/**
	 * Follows the job to its end. `isNew` is true for a job that was just offered. The storage is then not read before the first change.
	 */
	async follow({ isNew }: { readonly isNew: boolean }): Promise<RunResult> {
		if (isNew) await this.#news();
		for (;;) {
			const result = await this.#look().catch((error: unknown) => this.#outlast(error));
			if (result !== undefined) return result;
			await this.#news();
		}
	}

	async #look(): Promise<RunResult | undefined> {
		this.#isNews = false;
		const { storage, context, isLapsed, logger } = this.#parts;
		const kind = this.#endKind();
		if (kind === "shutdown") return handedOver;
		const [job]: readonly FollowedJob[] = await storage.find("worker_job", { where: { id: this.#id }, limit: 1, fields });
		if (job === undefined)
			throw new SvcError("SVC_RUNNER", "the job of the worker was removed from the storage; it is unknown whether the run has ended");
		const end = job.status === "ended" && job.result !== null ? this.#parts.sealing.open<StoredEnd>(job.result) : undefined;
		await this.#output.take(job, end?.rest);
		if (job.status === "ended") return this.#toResult(job, end);
		if (job.status === "lost") return toLost(job);
		if (kind !== undefined) return this.#end(job, kind);
		if (isLapsed(job) && (await this.#giveUp(job))) {
			logger.warn("worker of a run stopped", { execution_id: context.execution_id, worker: job.worker_name });
			return toLost(job);
		}
		await this.#show(job);
		return undefined;
	}

	/** Retries after an error of the storage. The worker continues while the storage is unavailable, and delivers its output later. */
	async #outlast(error: unknown): Promise<RunResult | undefined> {
		if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		if (this.#endKind() === "shutdown") return handedOver;
		this.#isNews = true;
		await wait(retryPause, new AbortController().signal);
		return undefined;
	}

	/** Returns the reason why the run must end; undefined if it must not. */
	#endKind(): RunAborted["kind"] | undefined {
		const { aborted, reason } = this.#parts.context.signal;
		if (!aborted) return undefined;
		return reason instanceof RunAborted ? reason.kind : "cancel";
	}

	async #toResult(job: FollowedJob, end: StoredEnd | undefined): Promise<RunResult> {
		this.#hasRows = job.sequence > (end?.rest === undefined ? 0 : 1);
		if (end === undefined) return { succeeded: false, result: {} };
		this.#parts.context.noteRunnerInfo(await this.#toPlace(job));
		const { succeeded, status, result, error } = end;
		if (error !== undefined) throw new SvcError("SVC_RUNNER", error);
		return { succeeded, result, ...(status !== undefined && { status }) };
	}

	/** Requests the end of the job. A job that no worker has taken ends at once. */
	async #end(job: FollowedJob, kind: "cancel" | "timeout"): Promise<RunResult | undefined> {
		const { storage, notifications } = this.#parts;
		if (job.status === "waiting") {
			const ended = await storage.update("worker_job", this.#id, { status: "ended", stop: kind }, { status: "waiting" });
			if (ended !== undefined) return { succeeded: false, result: {} };
			this.#isNews = true;
		} else if (job.stop === null) {
			await storage.update("worker_job", this.#id, { stop: kind }, { status: "taken" });
			notifications.notify({ about: "stop", job: this.#id, worker: job.worker ?? undefined });
		} else if (this.#parts.isLapsed(job) && (await this.#giveUp(job))) return toLost(job);
		return undefined;
	}

	/** Marks the job as lost. Returns false if the worker renews its lease at the same time, because the worker then keeps the job. */
	async #giveUp({ lease_expires_at }: FollowedJob): Promise<boolean> {
		const { storage } = this.#parts;
		const lost = await storage.update("worker_job", this.#id, { status: "lost" }, { status: "taken", lease_expires_at });
		return lost !== undefined;
	}

	/** Shows in the execution which worker runs it, or why it waits. */
	async #show(job: FollowedJob): Promise<void> {
		const { context, toReason, keepContent, policies } = this.#parts;
		if (job.status === "waiting") {
			await keepContent(job);
			const waits_for = await toReason(job);
			if (this.#shown === waits_for) return;
			this.#shown = waits_for;
			const info = { hostname: hostname(), waits_for, ...(policies.length > 0 && { policies }) };
			context.setRunnerInfo(info);
		} else if (this.#shown !== job.worker) {
			this.#shown = job.worker ?? "";
			context.setRunnerInfo(await this.#toPlace(job));
		}
	}

	async #toPlace({ worker, worker_name }: FollowedJob) {
		const { hostname: host, pid } = await this.#parts.placeOf(worker ?? "");
		return { hostname: host, pid, worker: worker_name };
	}

	async #news(): Promise<void> {
		if (this.#isNews) return;
		await new Promise<void>((resolve) => {
			this.#onNews = resolve;
		});
	}
}

/** Result when this process stops. The output of the worker stays in the storage until another process recovers the run. */
const handedOver: RunResult = { succeeded: false, result: {}, status: "running" };

function toLost({ worker_name }: FollowedJob): RunResult {
	const error = `the worker "${worker_name}" that ran the action stopped`;
	return { succeeded: false, status: "abandoned", result: { failed: true, succeeded: false, error } };
}
