import { randomBytes } from "node:crypto";
import { toExpiry, type Uses } from "../../core/feature.ts";
import type { WorkerJobEntity } from "./entities.ts";
import type { HeldJob } from "./held-jobs.ts";
import type { JobEncryption } from "./job-encryption.ts";
import { fits } from "./label-match.ts";
import type { WorkerNotifications } from "./worker-notifications.ts";
import type { HandedJob, JobSpec, WorkerPoll } from "./workers-exports.ts";

export interface JobAssignmentDependencies extends Uses<"storage" | "clock"> {
	readonly sealing: JobEncryption;
	readonly notifications: WorkerNotifications;
	/** Seconds for which a worker leases a job. */
	readonly lease: number;
}

/** Worker that requests jobs. */
export interface Taker {
	/** Id of the worker. */
	readonly worker: string;
	/** User whose API key the worker uses. */
	readonly user: string;
	readonly poll: WorkerPoll;
}

/** Maximum number of jobs in one response. */
export const maxAssignedJobs = 16;
/** Number of waiting jobs that one query reads to find matching jobs. */
const pageSize = 200;

/** Assigns jobs to workers, each job to one worker. */
export class JobAssigner {
	readonly #parts: JobAssignmentDependencies;

	constructor(parts: JobAssignmentDependencies) {
		this.#parts = parts;
	}

	/** Assigns waiting jobs that match the worker: at most `free`, and at most `maxAssignedJobs`. */
	async take(taker: Taker, free: number): Promise<readonly WorkerJobEntity[]> {
		const { storage } = this.#parts;
		const taken: WorkerJobEntity[] = [];
		if (taker.poll.draining) return taken;
		for (let after = ""; taken.length < Math.min(free, maxAssignedJobs); ) {
			const waiting = await storage.find("worker_job", {
				where: { status: "waiting", id: { gt: after } },
				orderBy: [["id", "asc"]],
				limit: pageSize,
				fields: ["id", "runner", "labels"],
			});
			for (const { id } of waiting.filter((job) => fits(taker.poll, job))) {
				if (taken.length >= Math.min(free, maxAssignedJobs)) break;
				const job = await this.#takeOne(id, taker);
				if (job !== undefined) taken.push(job);
			}
			if (waiting.length < pageSize) break;
			after = waiting.at(-1)?.id ?? "";
		}
		return taken;
	}

	/**
	 * Returns jobs that were assigned in a response that the worker has not received, so that they are sent again. Renews their leases,
	 * because the worker assumes a full lease.
	 */
	async again(worker: string, held: readonly HeldJob[]): Promise<readonly WorkerJobEntity[]> {
		if (held.length === 0) return [];
		const { storage, clock, lease } = this.#parts;
		const where = { id: { in: held.map(({ id }) => id) }, worker, status: "taken" } as const;
		return storage.claim("worker_job", { where, limit: maxAssignedJobs }, { lease_expires_at: toExpiry(clock, lease) });
	}

	/**
	 * Releases jobs for other workers. Only for jobs of a draining worker that has not received the response that assigned them. The worker
	 * cannot have started them: it lists each started job until the service has stored the end.
	 */
	async takeBack(worker: string, held: readonly HeldJob[]): Promise<void> {
		const { storage, notifications } = this.#parts;
		for (const { id, fence, labels, runner } of held) {
			const freed = { status: "waiting", worker: null, worker_name: null, user: null, fence: null, lease_expires_at: null } as const;
			const back = await storage.update("worker_job", id, freed, { status: "taken", worker, fence });
			if (back !== undefined) notifications.notify({ about: "work", job: id, needs: { labels, runner } });
		}
	}

	toHanded({ id, fence, execution_id, runner, spec }: WorkerJobEntity): HandedJob {
		return { id, fence: fence ?? "", execution_id, runner, spec: this.#parts.sealing.open<JobSpec>(spec) };
	}

	/** Assigns a job. Returns undefined if another worker was faster. */
	#takeOne(id: string, { worker, user, poll }: Taker): Promise<WorkerJobEntity | undefined> {
		const { storage, clock, lease } = this.#parts;
		const lease_expires_at = toExpiry(clock, lease);
		const fence = randomBytes(16).toString("hex");
		const patch = { status: "taken", worker, worker_name: poll.name, user, fence, lease_expires_at } as const;
		return storage.update("worker_job", id, patch, { status: "waiting" });
	}
}
