import type { ExecutionEntity, JsonObject, OutputType, PackContentFile, ParameterDefinitions } from "../../core/contract/index.ts";
import type { Principal } from "../../core/feature.ts";
import type { WorkerEntity } from "./entities.ts";

/** Request of a worker for jobs. */
export interface WorkerPoll {
	/** Random secret of the process. No other client has it. */
	readonly instance: string;
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	readonly labels: readonly string[];
	readonly runners: readonly string[];
	/** Maximum number of concurrent runs. */
	readonly places: number;
	/** Number of free slots. Slots that are freed while the request waits are added. */
	readonly free: number;
	readonly draining: boolean;
	/**
	 * Jobs that the worker holds; the request renews their leases. `told`: the worker knows that it must stop the job. `ending`: it is sending
	 * the end.
	 */
	readonly jobs: readonly { readonly id: string; readonly fence: string; readonly told: boolean; readonly ending?: boolean }[];
	/** Maximum seconds to wait for a change before responding. */
	readonly wait: number;
}

/** Response to a worker's request for jobs. */
export interface WorkerNews {
	/** Duration of the leases in seconds, counted from the time at which the worker sent the request. */
	readonly lease: number;
	/** Newly assigned jobs. */
	readonly jobs: readonly HandedJob[];
	/** Jobs that must end. */
	readonly stops: readonly { readonly id: string; readonly kind: "cancel" | "timeout" }[];
	/** Jobs that the worker no longer holds. */
	readonly lost: readonly string[];
}

/** Job as a worker receives it. */
export interface HandedJob {
	readonly id: string;
	readonly fence: string;
	readonly execution_id: string;
	readonly runner: string;
	readonly spec: JobSpec;
}

/** Arguments of the runner on the worker. */
export interface JobSpec {
	readonly action_ref: string;
	readonly pack: string;
	readonly user: string;
	/** Path in the pack's directory; empty for actions without an entry point. */
	readonly entry_point: string;
	/** Id of the content of the pack's directory; null if the runner needs no files. */
	readonly content: string | null;
	readonly runner_parameters: JsonObject;
	readonly action_parameters: JsonObject;
	readonly action_schema: ParameterDefinitions;
	readonly pack_config: JsonObject;
	readonly environment: Readonly<Record<string, string>>;
	readonly max_result_output: number;
}

/** Chunk of output. */
export interface WorkerPiece {
	readonly type: OutputType;
	readonly data: string;
}

/** Output of a run on a worker. It follows the output with `sequence - 1`. */
export interface WorkerOutput {
	readonly fence: string;
	readonly sequence: number;
	readonly pieces: readonly WorkerPiece[];
}

/** End of a run on a worker. */
export interface WorkerEnd {
	readonly fence: string;
	/** Sequence of the final output, which is sent with the end and may be empty. */
	readonly sequence: number;
	readonly pieces: readonly WorkerPiece[];
	readonly succeeded: boolean;
	readonly status?: "failed" | "timeout" | "abandoned";
	readonly result: JsonObject;
	/** Error message if the runner itself has failed. */
	readonly error?: string;
}

/** End of a run as it is stored. */
export interface StoredEnd extends Omit<WorkerEnd, "fence" | "sequence" | "pieces"> {
	/** Final output that was sent with the end. */
	readonly rest?: Omit<WorkerOutput, "fence">;
}

/** Worker. `isAlive` is true if the worker has sent a request within the lease. */
export interface WorkerView {
	readonly worker: WorkerEntity;
	readonly isAlive: boolean;
}

/** Execution that a worker is running. */
export type WorkerRun = Pick<ExecutionEntity, "id" | "action_ref" | "status">;

/** Worker that reports on a job. */
export interface Reporter {
	/** User whose API key the worker uses. */
	readonly username: string;
	/** Throws `SVC_FORBIDDEN` if the user may not take jobs with these labels. */
	assertLabels(labels: readonly string[]): void;
}

/** Operations of workers on their jobs. Each throws `SVC_CONFLICT` if the worker does not hold the job. */
export interface JobReporting {
	/**
	 * Returns the labels that a job needs. Returns an empty list if the job does not exist, so that the permission check does not disclose
	 * that.
	 */
	labelsOf(job: string): Promise<readonly string[]>;
	/** Stores output, once for each sequence. Returns false if the worker is too far ahead of the run and must retry later. */
	output(job: string, output: WorkerOutput, reporter: Reporter): Promise<boolean>;
	/** Stores the end. Only the first end counts. */
	end(job: string, end: WorkerEnd, reporter: Reporter): Promise<void>;
	/** Lists the files of the content of a job. */
	files(job: string, fence: string, reporter: Reporter): Promise<readonly PackContentFile[]>;
	/** Returns bytes of the content of a job. */
	bytes(
		job: string,
		part: { readonly fence: string; readonly start: number; readonly length: number },
		reporter: Reporter,
	): Promise<Buffer>;
}

/** Workers: processes on other machines that take jobs over HTTP. */
export interface Workers {
	readonly reports: JobReporting;
	/** Lists workers by name. */
	list(): Promise<readonly WorkerView[]>;
	/** Returns a worker by its id, or by its name. Throws `SVC_NOT_FOUND`, or `SVC_INVALID` if several workers have the name. */
	get(idOrName: string): Promise<WorkerView>;
	/** Lists the current runs of a worker, the newest first, at most 100. */
	running(workerId: string): Promise<readonly WorkerRun[]>;
	/**
	 * Renews the leases of a worker and assigns new jobs to it. Waits for a change as long as the request allows. `signal` aborts when the
	 * client has disconnected, so that no job is assigned.
	 */
	poll(poll: WorkerPoll, principal: Principal, signal: AbortSignal): Promise<WorkerNews>;
}
