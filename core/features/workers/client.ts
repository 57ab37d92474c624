import type { Api } from "../../client/api.ts";
import type { ListPage } from "../../client/page.ts";

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

/** Processes on other machines that take work over HTTP. */
export interface WorkerClient {
	list(): Promise<ListPage<WorkerRecord>>;
}

export function createWorkerClient({ list }: Api): WorkerClient {
	return { list: () => list("/workers") };
}
