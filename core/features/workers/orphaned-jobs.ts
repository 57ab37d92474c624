import { poll } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";

/** Microseconds for which nobody asks whether a job is needed. */
const grace = 600_000_000;
const pageSize = 200;

export interface OrphanedJobsOptions extends Uses<"storage" | "clock" | "logger"> {
	/** Seconds between two looks. */
	readonly interval: number;
}

/** Removes jobs of executions that have ended without them: whoever ended those died before, or did not know of the job. */
export class LeftJobs {
	readonly #parts: OrphanedJobsOptions;
	#stopping = new AbortController();
	#looking: Promise<void> | undefined;

	constructor(parts: OrphanedJobsOptions) {
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

	/** Remove what nobody needs any more. */
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
			// Its worker is told with its next request that it is not its own any more.
			await storage.remove("worker_output", { where: { job: { in: left } } });
			await storage.remove("worker_job", { where: { id: { in: left } } });
			if (jobs.length < pageSize) return;
			after = jobs.at(-1)?.id ?? "";
		}
	}
}
