import type { ExecutionStatus } from "../../core/contract/index.ts";
import type { ApiClient, ListPage } from "../../core/features/clients.ts";

/** Worker as the API returns it. */
export interface WorkerRecord {
	readonly id: string;
	readonly name: string;
	/** User whose API key the worker uses. */
	readonly user: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** State of the worker. `gone`: it has sent no request for longer than `workers.lease` seconds. */
	readonly state: "ready" | "draining" | "gone";
	/** Maximum number of concurrent runs. */
	readonly places: number;
	/** Number of current runs. */
	readonly running: number;
	readonly started_at: string;
	readonly seen_at: string;
	readonly labels: readonly string[];
	readonly runners: readonly string[];
}

/** Worker and its current runs. */
export interface SingleWorkerRecord extends WorkerRecord {
	/** At most 100 runs on the worker, the newest first. Empty if the caller may not list executions. */
	readonly executions: readonly { readonly id: string; readonly action_ref: string; readonly status: ExecutionStatus }[];
}

/** Client for workers: processes on other machines that take runs over HTTP. */
export interface WorkerClient {
	/** Lists workers by name. */
	list(): Promise<ListPage<WorkerRecord>>;
	/** Returns a worker by its id, or by its name if the name is unique. */
	get(idOrName: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<SingleWorkerRecord>;
}

export function createWorkerClient({ read, list }: ApiClient): WorkerClient {
	return {
		list: () => list("/workers"),
		get: (idOrName, options) => read(`/workers/${encodeURIComponent(idOrName)}`, options),
	};
}
