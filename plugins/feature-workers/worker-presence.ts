import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { toExpiry, toTimestamp, type Uses } from "../../core/feature.ts";
import type { WorkerEntity } from "./entities.ts";
import type { WorkerPoll } from "./workers-exports.ts";

export interface WorkerPresenceDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Seconds without a request after which a worker counts as gone. */
	readonly lease: number;
}

/** Milliseconds during which the presence of a worker is not stored again. A worker with short runs sends a hundred requests a second. */
const quiet = 1_000;
/** Microseconds after which a gone worker is no longer listed. */
const forgottenAfter = 86_400_000_000;
/** Maximum concurrent workers of one user. Every waiting run reads all workers, and one API key could register any number of them. */
export const maxWorkersPerUser = 1_000;
/** Maximum number of cached workers. */
const maxKnown = 10_000;

/** Stores which workers are present. A worker counts as present while it requests jobs. */
export class WorkerPresence {
	readonly #parts: WorkerPresenceDependencies;
	readonly #known = new Map<string, { readonly at: number; readonly draining: boolean }>();

	constructor(parts: WorkerPresenceDependencies) {
		this.#parts = parts;
	}

	/** Stores that the worker is present. Throws `SVC_FORBIDDEN` if the user already has the maximum number of workers. */
	async note(id: string, poll: WorkerPoll, user: string): Promise<void> {
		const last = this.#known.get(id);
		const at = performance.now();
		if (last !== undefined && last.draining === poll.draining && at - last.at < quiet) return;
		await this.#store(id, poll, user);
		if (this.#known.size >= maxKnown) this.#known.clear();
		this.#known.set(id, { at, draining: poll.draining });
	}

	async #store(id: string, poll: WorkerPoll, user: string): Promise<void> {
		const { storage, clock, lease } = this.#parts;
		const { name, hostname, pid, version, places, draining, labels, runners, jobs } = poll;
		const seen_at = toTimestamp(clock.now());
		const changing = { places, running: jobs.length, draining, seen_at, expires_at: toExpiry(clock, lease) };
		if ((await storage.update("worker", id, changing)) !== undefined) return;
		await this.#assertRoom(user);
		const entity: WorkerEntity = { id, name, user, hostname, pid, version, started_at: seen_at, labels, runners, ...changing };
		// Another request of the same worker may have inserted it first.
		await storage.insert("worker", [entity]).catch((error: unknown) => {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
		await storage.remove("worker", { where: { expires_at: { lt: toTimestamp(clock.steady() - forgottenAfter) } } });
		this.#parts.logger.info("worker registered", { worker: name, user, hostname });
	}

	async #assertRoom(user: string): Promise<void> {
		const { storage, clock } = this.#parts;
		const alive = await storage.count("worker", { user, expires_at: { gt: toTimestamp(clock.steady()) } }, maxWorkersPerUser);
		if (alive >= maxWorkersPerUser)
			throw new SvcError("SVC_FORBIDDEN", `user "${user}" already has ${maxWorkersPerUser} workers, the maximum`);
	}
}
