import type { ExecutionEntity, JsonObject, OutputType, PackContentFile, ParameterSchema, WorkerEntity } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";

/** What a worker says of itself with each request for work. */
export interface WorkerPoll {
	/** Chosen at random by the process: nobody else knows it. */
	readonly instance: string;
	readonly name: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	readonly labels: readonly string[];
	readonly runners: readonly string[];
	/** Most that it runs at once. */
	readonly places: number;
	/** How many more it takes now, besides what takes the place of what ends while it waits. */
	readonly free: number;
	readonly draining: boolean;
	/** What it has, whose leases are renewed by this; `told`: it knows that this one is to end; `ending`: it is handing over the end. */
	readonly jobs: readonly { readonly id: string; readonly fence: string; readonly told: boolean; readonly ending?: boolean }[];
	/** Seconds to wait for something new. */
	readonly wait: number;
}

/** What a worker is told. */
export interface WorkerNews {
	/** Seconds for which it holds what it has from the moment at which it sent the request. */
	readonly lease: number;
	/** New work. */
	readonly jobs: readonly HandedJob[];
	/** What is to end. */
	readonly stops: readonly { readonly id: string; readonly kind: "cancel" | "timeout" }[];
	/** What is not the worker's any more. */
	readonly lost: readonly string[];
}

/** A run as a worker gets it. */
export interface HandedJob {
	readonly id: string;
	readonly fence: string;
	readonly execution_id: string;
	readonly runner: string;
	readonly spec: JobSpec;
}

/** What a runner on another machine is called with. */
export interface JobSpec {
	readonly action_ref: string;
	readonly pack: string;
	readonly user: string;
	/** Path in the pack's directory; empty for actions without an entry point. */
	readonly entry_point: string;
	/** Id of the content of the pack's directory; null where the runner needs no files. */
	readonly content: string | null;
	readonly runner_parameters: JsonObject;
	readonly action_parameters: JsonObject;
	readonly action_schema: ParameterSchema;
	readonly pack_config: JsonObject;
	readonly environment: Readonly<Record<string, string>>;
	readonly max_result_output: number;
}

/** A piece of output. */
export interface WorkerPiece {
	readonly type: OutputType;
	readonly data: string;
}

/** Output of a run on a worker: the next after `sequence - 1`. */
export interface WorkerOutput {
	readonly fence: string;
	readonly sequence: number;
	readonly pieces: readonly WorkerPiece[];
}

/** How a run on a worker has ended. */
export interface WorkerEnd {
	readonly fence: string;
	/** What was printed and is not sent yet, as output with this sequence; may be empty. */
	readonly sequence: number;
	readonly pieces: readonly WorkerPiece[];
	readonly succeeded: boolean;
	readonly status?: "failed" | "timeout" | "abandoned";
	readonly result: JsonObject;
	/** Why the runner itself could not do its work. */
	readonly error?: string;
}

/** The same as it is stored. */
export interface StoredEnd extends Omit<WorkerEnd, "fence" | "sequence" | "pieces"> {
	/** What was handed over with it. */
	readonly rest?: Omit<WorkerOutput, "fence">;
}

/** A worker, and whether it has told of itself in time. */
export interface WorkerView {
	readonly worker: WorkerEntity;
	readonly isAlive: boolean;
}

/** What runs on a worker. */
export type WorkerRun = Pick<ExecutionEntity, "id" | "action_ref" | "status">;

/** Who says something about a job. */
export interface Reporter {
	/** Whose credential the worker has. */
	readonly username: string;
	/** Throws `SVC_FORBIDDEN` where it may not take what needs these labels. */
	assertLabels(labels: readonly string[]): void;
}

/** What workers say of their jobs. All of it is refused with `SVC_CONFLICT` where the job is not the worker's, or not any more. */
export interface JobReporting {
	/** The labels that a job needs; none where there is no such job: whoever may not take everything learns nothing of it. */
	labelsOf(job: string): Promise<readonly string[]>;
	/** Store output, once for each sequence: `false` where there is no room for it just now. */
	output(job: string, output: WorkerOutput, reporter: Reporter): Promise<boolean>;
	/** Store the end; the first counts. */
	end(job: string, end: WorkerEnd, reporter: Reporter): Promise<void>;
	/** What the content of a job holds. */
	files(job: string, fence: string, reporter: Reporter): Promise<readonly PackContentFile[]>;
	/** Bytes of the content of a job. */
	bytes(
		job: string,
		part: { readonly fence: string; readonly start: number; readonly length: number },
		reporter: Reporter,
	): Promise<Buffer>;
}

/** Processes on other machines that take work over HTTP. */
export interface Workers {
	readonly reports: JobReporting;
	/** By name. */
	list(): Promise<readonly WorkerView[]>;
	/** By id, or by a name that only one has. `SVC_NOT_FOUND`, or `SVC_INVALID` for a name that several have. */
	get(idOrName: string): Promise<WorkerView>;
	/** What a worker runs, the oldest first; a hundred at most. */
	running(workerId: string): Promise<readonly WorkerRun[]>;
	/**
	 * Renew what a worker has, and give it what is new for it; waits for that as long as it says. `signal` aborts when nobody waits for the
	 * answer any more: nothing is taken then.
	 */
	poll(poll: WorkerPoll, principal: Principal, signal: AbortSignal): Promise<WorkerNews>;
}
