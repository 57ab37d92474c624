import { fromTimestamp, toExpiry, toTimestamp, type Uses } from "../../core/feature.ts";
import type { WorkerJobEntity } from "./entities.ts";
import { fits } from "./label-match.ts";
import type { WorkerPoll } from "./workers-exports.ts";

export interface HeldJobsDependencies extends Uses<"storage" | "clock"> {
	/** Seconds for which a worker leases a job. */
	readonly lease: number;
}

/** Job that a worker holds, without its specification. */
export type HeldJob = Pick<WorkerJobEntity, "id" | "fence" | "stop" | "labels" | "runner" | "lease_expires_at">;

const fields = ["fence", "stop", "labels", "runner", "lease_expires_at"] as const;
/** Fraction of a lease that must pass before it is renewed. Very short runs therefore end without any renewal. */
const renewedAgainAfter = 1 / 10;

/** Reads the jobs that a worker holds, and renews their leases. */
export class HeldJobs {
	readonly #parts: HeldJobsDependencies;

	constructor(parts: HeldJobsDependencies) {
		this.#parts = parts;
	}

	/**
	 * Returns the jobs that a worker holds and may run with the labels and runners in its request. A job that needs a label or runner missing
	 * from the request is excluded, so that its lease is not renewed and expires.
	 */
	async of(worker: string, poll: WorkerPoll): Promise<readonly HeldJob[]> {
		const found = await this.#parts.storage.find("worker_job", { where: { worker, status: "taken" }, fields });
		return found.filter((job) => fits(poll, job));
	}

	/** Renews the leases of the held jobs that the worker lists. Returns the ids of those that it still holds. */
	async renew(worker: string, { jobs }: WorkerPoll, own: readonly HeldJob[]): Promise<ReadonlySet<string>> {
		const fences = new Map(jobs.map(({ id, fence }) => [id, fence]));
		const named = own.filter(({ id, fence }) => fences.get(id) === fence);
		const due = named.filter((job) => this.#isDue(job));
		const renewed = new Set(await this.#renewAll(worker, due));
		return new Set(named.filter((job) => renewed.has(job.id) || !due.includes(job)).map(({ id }) => id));
	}

	async #renewAll(worker: string, due: readonly HeldJob[]): Promise<readonly string[]> {
		if (due.length === 0) return [];
		const { storage, clock, lease } = this.#parts;
		const where = { id: { in: due.map(({ id }) => id) }, worker, status: "taken" } as const;
		const renewed = await storage.claim("worker_job", { where, limit: due.length }, { lease_expires_at: toExpiry(clock, lease) });
		const ids = new Set(renewed.map(({ id }) => id));
		const late = await Promise.all(due.filter(({ id }) => !ids.has(id)).map((job) => this.#renewOne(worker, job)));
		return [...ids, ...late.flat()];
	}

	/**
	 * Renews one lease that the claim has skipped. A claim skips rows that another write has locked (`Storage.claim`), such as a write of the
	 * job's output. This update fails only if the worker has lost the job since it was read.
	 */
	async #renewOne(worker: string, { id, fence }: HeldJob): Promise<readonly string[]> {
		const { storage, clock, lease } = this.#parts;
		const expected = { worker, fence, status: "taken" } as const;
		const renewed = await storage.update("worker_job", id, { lease_expires_at: toExpiry(clock, lease) }, expected);
		return renewed === undefined ? [] : [id];
	}

	#isDue({ lease_expires_at }: HeldJob): boolean {
		const { clock, lease } = this.#parts;
		const renewedAt = fromTimestamp(lease_expires_at ?? toTimestamp(0)) - lease * 1_000_000;
		return clock.steady() - renewedAt > lease * renewedAgainAfter * 1_000_000;
	}
}
