import { poll } from "../../core/contract/index.ts";
import { toTimestamp, type Uses } from "../../core/feature.ts";

/** Microseconds after its creation during which a job is never removed. */
const grace = 600_000_000;
const pageSize = 200;

export interface EndedJobCleanerDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Seconds between two searches. */
	readonly interval: number;
}

/** Removes jobs whose execution has ended. Such jobs remain if the node that ended the execution did not follow the job. */
export class EndedJobCleaner {
	readonly #parts: EndedJobCleanerDependencies;
	#stopping = new AbortController();
	#looking: Promise<void> | undefined;

	constructor(parts: EndedJobCleanerDependencies) {
		this.#parts = parts;
	}

	start(): void {
		const { interval, logger } = this.#parts;
		this.#stopping = new AbortController();
		this.#looking = poll({ signal: this.#stopping.signal, logger }, interval, () => this.remove());
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#looking;
	}

	/** Removes all jobs whose execution has ended. */
	async remove(): Promise<void> {
		const { storage, clock } = this.#parts;
		const before = toTimestamp(clock.now() - grace);
		for (let after = ""; ; ) {
			const jobs = await storage.find("worker_job", {
				where: { id: { gt: after }, created_at: { lt: before } },
				orderBy: [["id", "asc"]],
				limit: pageSize,
				fields: ["id", "execution_id"],
			});
			const executions = jobs.map(({ execution_id }) => execution_id);
			const going = await storage.find("execution", {
				where: { id: { in: executions }, end_timestamp: null },
				fields: ["id"],
			});
			const needed = new Set(going.map(({ id }) => id));
			const left = jobs.filter(({ execution_id }) => !needed.has(execution_id)).map(({ id }) => id);
			// If a worker still runs the job, the response to its next request reports the job as lost.
			await storage.remove("worker_output", { where: { job: { in: left } } });
			await storage.remove("worker_job", { where: { id: { in: left } } });
			if (jobs.length < pageSize) return;
			after = jobs.at(-1)?.id ?? "";
		}
	}
}
