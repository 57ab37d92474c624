import { hostname } from "node:os";
import {
	isSvcError,
	type Logger,
	RunAborted,
	type RunContext,
	type RunResult,
	type Storage,
	SvcError,
	type WorkerJobEntity,
} from "../../contract/index.ts";
import { insertOnce } from "../../kernel/basics/insert-once.ts";
import { wait } from "../../kernel/basics/wait.ts";
import type { Bell } from "./bell.ts";
import type { Sealing } from "./sealing.ts";
import { TakenOver } from "./taken-over.ts";
import type { WorkerEnd } from "./workers-api.ts";

/** Milliseconds between two tries while the storage is away. */
const retryPause = 500;

export interface PlacedRunParts {
	readonly storage: Storage;
	readonly logger: Logger;
	readonly sealing: Sealing;
	readonly bell: Pick<Bell, "ring">;
	/** Whether output of executions is stored. */
	readonly isOutputKept: boolean;
	/** Whether the worker of a job has not told of it for so long that it is gone. */
	readonly isLapsed: (job: WorkerJobEntity) => boolean;
	/** Keep the files of a job that waits. */
	readonly keepContent: (job: WorkerJobEntity) => Promise<void>;
	/** Why nobody has taken it, in words. */
	readonly toReason: (job: WorkerJobEntity) => Promise<string>;
	readonly context: RunContext;
}

/**
 * One run that a worker carries out, as the node sees it that holds the execution. The node does all that belongs to the service: the
 * parameters, the time-out, the recording, the end. What the worker does is a record (`worker_job`), over which both speak: any node may
 * answer the worker, and a node that takes the execution over goes on with the same record. It is offered once and never again, so that
 * nothing runs twice.
 */
export class PlacedRun {
	readonly #parts: PlacedRunParts;
	readonly #id: string;
	readonly #output: TakenOver;
	#shown: string | undefined;
	#isNews = false;
	#onNews: () => void = () => {};

	constructor(parts: PlacedRunParts) {
		const { context, isOutputKept: isKept } = parts;
		this.#parts = parts;
		this.#id = context.liveaction_id;
		this.#output = new TakenOver(this.#id, { ...parts, isKept });
		context.signal.addEventListener("abort", () => this.wake(), { once: true });
	}

	/** Something about it may have changed. */
	wake(): void {
		this.#isNews = true;
		this.#onNews();
	}

	/** Offer the job to workers unless that was done, and follow it to its end. */
	async follow(job: WorkerJobEntity | undefined): Promise<RunResult> {
		if (job !== undefined) {
			await insertOnce(() => this.#parts.storage.insert("worker_job", [job]));
			this.#parts.bell.ring("work", this.#id);
		}
		for (;;) {
			const result = await this.#look().catch((error: unknown) => this.#outlast(error));
			if (result !== undefined) return result;
			await this.#news();
		}
	}

	/** Whether there is such a job already. */
	async isOffered(): Promise<boolean> {
		return (await this.#parts.storage.count("worker_job", { id: this.#id })) > 0;
	}

	async #look(): Promise<RunResult | undefined> {
		this.#isNews = false;
		const { storage, context, isLapsed, logger } = this.#parts;
		const job = await storage.get("worker_job", this.#id);
		if (job === undefined)
			throw new SvcError("SVC_RUNNER", "what a worker was doing was taken away from the storage; whether it has ended nobody knows");
		await this.#output.take(job);
		if (job.status === "ended") return this.#toResult(job);
		if (job.status === "lost") return toLost(job);
		if (context.signal.aborted) return this.#end(job);
		if (isLapsed(job) && (await this.#giveUp(job))) {
			logger.warn("worker went away", { execution_id: context.execution_id, worker: job.worker_name });
			return toLost(job);
		}
		await this.#show(job);
		return undefined;
	}

	/** While the storage is away the worker goes on, and hands over later what it has. */
	async #outlast(error: unknown): Promise<undefined> {
		if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		this.#isNews = true;
		await wait(retryPause, new AbortController().signal);
	}

	#toResult(job: WorkerJobEntity): RunResult {
		if (job.result === null) return { succeeded: false, result: {} };
		const { succeeded, status, result, error } = this.#parts.sealing.open<Omit<WorkerEnd, "fence" | "sequence" | "pieces">>(job.result);
		if (error !== undefined) throw new SvcError("SVC_RUNNER", error);
		return { succeeded, result, ...(status !== undefined && { status }) };
	}

	/** Ask for the end. A job that nobody has taken has ended with that. */
	async #end(job: WorkerJobEntity): Promise<RunResult | undefined> {
		const { storage, bell, context } = this.#parts;
		const { kind } = context.signal.reason instanceof RunAborted ? context.signal.reason : { kind: "cancel" as const };
		if (kind === "shutdown") return { succeeded: false, result: {}, status: "running" };
		if (job.status === "waiting") {
			const ended = await storage.update("worker_job", this.#id, { status: "ended", stop: kind }, { status: "waiting" });
			if (ended !== undefined) return { succeeded: false, result: {} };
			this.#isNews = true;
		} else if (job.stop === null) {
			await storage.update("worker_job", this.#id, { stop: kind }, { status: "taken" });
			bell.ring("work", this.#id);
		} else if (this.#parts.isLapsed(job) && (await this.#giveUp(job))) return toLost(job);
		return undefined;
	}

	/** Whoever renews in the same moment keeps it. */
	async #giveUp({ lease_expires_at }: WorkerJobEntity): Promise<boolean> {
		const { storage } = this.#parts;
		const lost = await storage.update("worker_job", this.#id, { status: "lost" }, { status: "taken", lease_expires_at });
		return lost !== undefined;
	}

	/** Say where it runs, or why it does not: where people look at the execution. */
	async #show(job: WorkerJobEntity): Promise<void> {
		const { context, storage, toReason, keepContent } = this.#parts;
		if (job.status === "waiting") {
			await keepContent(job);
			const waits_for = await toReason(job);
			if (this.#shown === waits_for) return;
			this.#shown = waits_for;
			const info = { hostname: hostname(), waits_for };
			context.setRunnerInfo(info);
		} else if (this.#shown !== job.worker) {
			this.#shown = job.worker ?? "";
			const worker = await storage.get("worker", this.#shown);
			const info = { hostname: worker?.hostname ?? "", pid: worker?.pid ?? 0, worker: job.worker_name };
			context.setRunnerInfo(info);
		}
	}

	async #news(): Promise<void> {
		if (this.#isNews) return;
		await new Promise<void>((resolve) => {
			this.#onNews = resolve;
		});
	}
}

function toLost({ worker_name }: WorkerJobEntity): RunResult {
	const error = `the worker "${worker_name}" that ran the action went away`;
	return { succeeded: false, status: "abandoned", result: { failed: true, succeeded: false, error } };
}
