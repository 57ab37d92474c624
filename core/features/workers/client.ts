import type { Api } from "../../client/api.ts";
import type { ListPage } from "../../client/page.ts";
import type { ExecutionStatus } from "../../contract/index.ts";

/** A worker as the API shows it. */
export interface WorkerRecord {
	readonly id: string;
	readonly name: string;
	/** Whose API key it has. */
	readonly user: string;
	readonly hostname: string;
	readonly pid: number;
	readonly version: string;
	/** `gone`: it has not told of itself for longer than `workers.lease`. */
	readonly state: "ready" | "draining" | "gone";
	/** Most that it runs at once. */
	readonly places: number;
	/** What runs there. */
	readonly running: number;
	readonly started_at: string;
	readonly seen_at: string;
	readonly labels: readonly string[];
	readonly runners: readonly string[];
}

/** A worker with what runs there. */
export interface SingleWorkerRecord extends WorkerRecord {
	/** What runs there, the oldest first; a hundred at most. Empty for whoever may not list executions. */
	readonly executions: readonly { readonly id: string; readonly action_ref: string; readonly status: ExecutionStatus }[];
}

/** Processes on other machines that take work over HTTP. */
export interface WorkerClient {
	/** By name. */
	list(): Promise<ListPage<WorkerRecord>>;
	/** By id, or by a name that only one has. */
	get(idOrName: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<SingleWorkerRecord>;
}

export function createWorkerClient({ read, list }: Api): WorkerClient {
	return {
		list: () => list("/workers"),
		get: (idOrName, options) => read(`/workers/${encodeURIComponent(idOrName)}`, options),
	};
}
