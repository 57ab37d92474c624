import { basename, relative } from "node:path";
import {
	type ExecutionEntity,
	type JsonObject,
	poll,
	type RunContext,
	type RunResult,
	type WriteOperation,
} from "../../core/contract/index.ts";
import {
	createTakeoverGrace,
	fromTimestamp,
	type RequiredWorkerLabels,
	retryWhileUnavailable,
	type TakeoverGracePeriod,
	toExpiredBefore,
	toKernelContext,
	toTimestamp,
	type Uses,
} from "../../core/feature.ts";
import type { WorkerEntity, WorkerJobEntity } from "./entities.ts";
import type { JobEncryption } from "./job-encryption.ts";
import { fits } from "./label-match.ts";
import type { WorkerNotifications } from "./worker-notifications.ts";
import { type FollowedJob, WorkerRunFollower } from "./worker-run-follower.ts";
import type { JobSpec } from "./workers-exports.ts";

/** Storage of the contents of pack directories. */
export interface Contents {
	store(directory: string, options: { readonly pack: string; readonly signal: AbortSignal }): Promise<string>;
	keep(content: string): WriteOperation;
}

export interface WorkerRunFollowersDependencies extends Uses<"storage" | "clock" | "logger"> {
	readonly sealing: JobEncryption;
	readonly notifications: WorkerNotifications;
	readonly contents: Contents;
	/** Seconds for which a worker leases a job. */
	readonly lease: number;
	/** Seconds between polls of the storage. */
	readonly pollInterval: number;
	readonly isOutputKept: boolean;
	readonly maxResultOutput: number;
}

type Place = Pick<WorkerEntity, "hostname" | "pid">;

/** Maximum number of jobs in one query. */
const pageSize = 200;
/** Microseconds after which the pack files of a waiting job are protected again. Files without a reference for an hour are removed. */
const keepAfter = 600_000_000;
/** Maximum number of followed runs that occupy no slot. Each of them uses some memory. */
const maxResting = 2_000;
/** Maximum number of workers whose host is cached. */
const maxPlaces = 1_000;
const contentName = /^[0-9a-f]{64}$/;

/** Runs of this node that are executed by workers. */
export class WorkerRunFollowers {
	readonly #parts: WorkerRunFollowersDependencies;
	readonly #trust: TakeoverGracePeriod;
	readonly #runs = new Map<string, WorkerRunFollower>();
	/** Runs whose end is not stored yet, by the id of their live action. True if the run may have rows of output. */
	readonly #followed = new Map<string, boolean>();
	readonly #places = new Map<string, Place>();
	/** State of each job at the last poll. */
	readonly #seen = new Map<string, string>();
	readonly #kept = new Map<string, number>();
	#stopping = new AbortController();
	#looking: Promise<void> | undefined;
	#forget: () => void = () => {};

	constructor(parts: WorkerRunFollowersDependencies) {
		this.#parts = parts;
		this.#trust = createTakeoverGrace(parts.lease);
	}

	/** Number of runs that occupy no slot. */
	get resting(): number {
		return Math.min(this.#runs.size, maxResting);
	}

	start(): void {
		const { notifications, pollInterval, logger } = this.#parts;
		this.#stopping = new AbortController();
		// Begin with the grace period: workers could not renew their leases if no node was running.
		this.#trust.onRenewalFailure();
		this.#forget = notifications.on(({ job }) => {
			if (job === undefined) for (const run of this.#runs.values()) run.wake();
			else this.#runs.get(job)?.wake();
		});
		this.#looking = poll({ signal: this.#stopping.signal, logger }, pollInterval, () => this.#look());
	}

	async stop(): Promise<void> {
		this.#forget();
		this.#stopping.abort();
		await this.#looking;
	}

	/**
	 * Offers a new run to workers and follows it. The job and the state of the run are stored in one write under the fence of the run. A
	 * node that recovers the run therefore finds the job, and a node that has lost the run offers nothing.
	 */
	async run(runner: string, context: RunContext, { labels, policies }: RequiredWorkerLabels): Promise<RunResult> {
		const job = await this.outlast(context, () => this.#toJob(runner, context, labels));
		const insert = { insert: "worker_job", entities: [job] } as const;
		await toKernelContext(context).saveStateWith({ worker: true, policies }, [insert]);
		// Listen before the notification is sent, so that no change is missed.
		const end = this.#follow(context, policies, { isNew: true });
		this.#parts.notifications.notify({ about: "work", job: job.id, needs: { labels, runner } });
		return end;
	}

	/** Recovers a run that another process has started. The job is not offered again, so that nothing runs twice. */
	recover(context: RunContext, policies: readonly string[]): Promise<RunResult> {
		return this.#follow(context, policies, { isNew: false });
	}

	async #follow(context: RunContext, policies: readonly string[], { isNew }: { readonly isNew: boolean }): Promise<RunResult> {
		const id = context.liveaction_id;
		const run = new WorkerRunFollower({
			...this.#parts,
			context: toKernelContext(context),
			policies,
			placeOf: (worker) => this.#placeOf(worker),
			isLapsed: (job) => this.#isLapsed(job),
			keepContent: (job) => this.#keepContent(job),
			toReason: (job) => this.#toReason(job),
		});
		this.#runs.set(id, run);
		this.#followed.set(id, true);
		try {
			const result = await run.follow({ isNew });
			this.#followed.set(id, run.hasRows);
			return result;
		} finally {
			if (this.#runs.get(id) === run) this.#runs.delete(id);
			this.#seen.delete(id);
			this.#kept.delete(id);
		}
	}

	/** Returns the result of `attempt`. Retries while the storage is unavailable, which delays a run but does not end it. */
	outlast<T>({ signal, execution_id }: RunContext, attempt: () => Promise<T>): Promise<T> {
		return retryWhileUnavailable(attempt, {
			shouldGiveUp: () => signal.aborted,
			signal,
			onUnavailable: (error) => this.#parts.logger.warn("storage is unavailable; run is waiting", { execution_id, error }),
		});
	}

	/** Returns the operations that remove the job when its execution ends. Empty if this node has not followed the run. */
	toRemoval({ liveaction_id: id }: Pick<ExecutionEntity, "liveaction_id">): readonly WriteOperation[] {
		const hasRows = this.#followed.get(id);
		if (hasRows === undefined) return [];
		const job = { remove: "worker_job", where: { id } } as const;
		return hasRows ? [{ remove: "worker_output", where: { job: id } }, job] : [job];
	}

	/** Forgets a run whose end is stored. */
	forget(id: string): void {
		this.#followed.delete(id);
	}

	async #toJob(runner: string, context: RunContext, labels: readonly string[]): Promise<WorkerJobEntity> {
		const { clock, sealing } = this.#parts;
		const content = await this.#toContent(context);
		return {
			id: context.liveaction_id,
			execution_id: context.execution_id,
			runner,
			status: "waiting",
			stop: null,
			worker: null,
			worker_name: null,
			user: null,
			fence: null,
			lease_expires_at: null,
			sequence: 0,
			consumed: 0,
			content,
			created_at: toTimestamp(clock.now()),
			labels,
			trimmed: null,
			spec: sealing.close(this.#toSpec(context, content)),
			result: null,
		};
	}

	#toSpec(context: RunContext, content: string | null): JobSpec {
		const { svc_worker_labels: _labels, ...runner_parameters } = context.runnerParameters as JsonObject;
		return {
			action_ref: context.action_ref,
			pack: context.pack,
			user: context.user,
			entry_point: content === null ? "" : relative(context.packDirectory ?? "", context.entryPoint),
			content,
			runner_parameters,
			action_parameters: context.actionParameters,
			action_schema: context.actionSchema,
			pack_config: context.packConfig,
			environment: context.environment,
			max_result_output: this.#parts.maxResultOutput,
		};
	}

	/** Returns the id of the pack's contents. The directory of an installed pack is named by this id. */
	async #toContent({ entryPoint, packDirectory, pack, signal }: RunContext): Promise<string | null> {
		if (entryPoint === "" || packDirectory === undefined) return null;
		const { storage, contents } = this.#parts;
		const name = basename(packDirectory);
		if (contentName.test(name) && (await storage.count("pack_content", { id: name, complete: true })) > 0) return name;
		return contents.store(packDirectory, { pack, signal });
	}

	/** Polls the jobs. Notifications may be lost, and none is sent when a worker stops responding. */
	async #look(): Promise<void> {
		this.#trust.onRenewalStart();
		const ids = [...this.#runs.keys()];
		try {
			for (let start = 0; start < ids.length; start += pageSize) await this.#lookAt(ids.slice(start, start + pageSize));
		} catch (error) {
			this.#trust.onRenewalFailure();
			throw error;
		}
	}

	async #lookAt(ids: readonly string[]): Promise<void> {
		const fields = ["id", "status", "sequence", "stop", "lease_expires_at"] as const;
		const found = new Map(
			(await this.#parts.storage.find("worker_job", { where: { id: { in: ids } }, fields })).map((job) => [job.id, job]),
		);
		for (const id of ids) {
			const job = found.get(id);
			const state = `${job?.status} ${job?.sequence} ${job?.stop}`;
			// Waiting runs are woken at each poll to update the shown reason for the wait.
			const isDue = job === undefined || job.status === "waiting" || this.#isLapsed(job);
			if (isDue || this.#seen.get(id) !== state) this.#runs.get(id)?.wake();
			this.#seen.set(id, state);
		}
	}

	#isLapsed({ status, lease_expires_at }: Pick<WorkerJobEntity, "status" | "lease_expires_at">): boolean {
		const { clock, lease } = this.#parts;
		if (status !== "taken" || !this.#trust.mayTakeOver() || clock.isOutOfSync()) return false;
		return (lease_expires_at ?? "") < toExpiredBefore(clock, lease);
	}

	/** Returns the host of a worker. It can be cached, because a worker is one process and never moves. */
	async #placeOf(id: string): Promise<Place> {
		const known = this.#places.get(id);
		if (known !== undefined) return known;
		const worker = await this.#parts.storage.get("worker", id);
		const place = { hostname: worker?.hostname ?? "", pid: worker?.pid ?? 0 };
		if (this.#places.size >= maxPlaces) this.#places.clear();
		if (worker !== undefined) this.#places.set(id, place);
		return place;
	}

	async #keepContent({ id, content, created_at }: FollowedJob): Promise<void> {
		const { storage, contents, clock } = this.#parts;
		if (content === null || clock.now() - (this.#kept.get(id) ?? fromTimestamp(created_at)) < keepAfter) return;
		this.#kept.set(id, clock.now());
		await storage.write([contents.keep(content)]);
	}

	async #toReason(job: FollowedJob): Promise<string> {
		const { storage, clock } = this.#parts;
		const alive = await storage.find("worker", { where: { expires_at: { gt: toTimestamp(clock.steady()) } } });
		const count = alive.filter((worker) => fits(worker, job)).length;
		const needed = `the labels ${job.labels.join(", ")} and the runner ${job.runner}`;
		return count === 0 ? `no worker has ${needed}` : `a slot on a worker with ${needed}`;
	}
}
