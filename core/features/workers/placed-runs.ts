import { basename, relative } from "node:path";
import {
	type JsonObject,
	type Logger,
	poll,
	type RunContext,
	type RunResult,
	type Storage,
	type WorkerJobEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { type EngineClock, fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { toLapsedBefore } from "../../kernel/work/lease-time.ts";
import { createLeaseTrust, type LeaseTrust } from "../../kernel/work/lease-trust.ts";
import type { Bell } from "./bell.ts";
import { fits } from "./labels.ts";
import { PlacedRun } from "./placed-run.ts";
import type { Sealing } from "./sealing.ts";
import type { JobSpec } from "./workers-api.ts";

/** Content of pack directories, as the storage keeps it. */
export interface Contents {
	store(directory: string, options: { readonly pack: string; readonly signal: AbortSignal }): Promise<string>;
	keep(content: string): WriteOperation;
}

export interface PlacedRunsParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly sealing: Sealing;
	readonly bell: Bell;
	readonly contents: Contents;
	/** Seconds for which a worker holds a job. */
	readonly lease: number;
	/** Seconds between looks at the storage. */
	readonly pollInterval: number;
	readonly isOutputKept: boolean;
	readonly maxResultOutput: number;
}

/** Most jobs that are asked about at once. */
const pageSize = 200;
/** Microseconds after which files of a job that waits are kept for longer: what nobody has named for an hour goes. */
const keepAfter = 600_000_000;
/** Most that wait here without taking places of others: each takes some memory. */
const mostResting = 2_000;
const contentName = /^[0-9a-f]{64}$/;

/** The runs of this node that workers carry out. */
export class PlacedRuns {
	readonly #parts: PlacedRunsParts;
	readonly #trust: LeaseTrust;
	readonly #runs = new Map<string, PlacedRun>();
	/** How each was at the last look. */
	readonly #seen = new Map<string, string>();
	readonly #kept = new Map<string, number>();
	#stopping = new AbortController();
	#looking: Promise<void> | undefined;
	#forget: () => void = () => {};

	constructor(parts: PlacedRunsParts) {
		this.#parts = parts;
		this.#trust = createLeaseTrust(parts.lease);
	}

	/** How many take no place of others. */
	get resting(): number {
		return Math.min(this.#runs.size, mostResting);
	}

	start(): void {
		const { bell, pollInterval, logger } = this.#parts;
		this.#stopping = new AbortController();
		// Workers could not tell of themselves while no service was there.
		this.#trust.lose();
		this.#forget = bell.on(({ job }) => {
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

	/** Have a worker with these labels carry out a run from its begin. */
	async run(runner: string, context: RunContext, labels: readonly string[]): Promise<RunResult> {
		const job = await this.#toJob(runner, context, labels);
		// Before there is anything to find: who finds this and no job knows that none was ever offered.
		await context.saveState({ worker: true });
		return this.#hold(context, (run) => run.follow(job));
	}

	/** Go on with one that an earlier process has begun. */
	async recover(runner: string, context: RunContext, labels: readonly string[]): Promise<RunResult> {
		return this.#hold(context, async (run) => {
			const isOffered = await run.isOffered();
			if (isOffered || context.signal.aborted) return isOffered ? run.follow(undefined) : { succeeded: false, result: {} };
			return run.follow(await this.#toJob(runner, context, labels));
		});
	}

	/** The end of a run is stored. */
	async forget(id: string): Promise<void> {
		await this.#parts.storage.write([
			{ remove: "worker_output", where: { job: id } },
			{ remove: "worker_job", where: { id } },
		]);
	}

	async #hold(context: RunContext, follow: (run: PlacedRun) => Promise<RunResult>): Promise<RunResult> {
		const id = context.liveaction_id;
		const run = new PlacedRun({
			...this.#parts,
			context,
			isLapsed: (job) => this.#isLapsed(job),
			keepContent: (job) => this.#keepContent(job),
			toReason: (job) => this.#toReason(job),
		});
		this.#runs.set(id, run);
		try {
			return await follow(run);
		} finally {
			if (this.#runs.get(id) === run) this.#runs.delete(id);
			this.#seen.delete(id);
			this.#kept.delete(id);
		}
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
		const { worker_labels: _labels, ...runner_parameters } = context.runnerParameters as JsonObject;
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

	/** The files of the pack, under the name of what they are: those of an installed pack lie in a directory of that name. */
	async #toContent({ entryPoint, packDirectory, pack, signal }: RunContext): Promise<string | null> {
		if (entryPoint === "" || packDirectory === undefined) return null;
		const { storage, contents } = this.#parts;
		const name = basename(packDirectory);
		if (contentName.test(name) && (await storage.count("pack_content", { id: name, complete: true })) > 0) return name;
		return contents.store(packDirectory, { pack, signal });
	}

	/** What the storage says of the jobs: rings may be missed, and nobody rings when a worker is silent. */
	async #look(): Promise<void> {
		this.#trust.begin();
		const ids = [...this.#runs.keys()];
		try {
			for (let start = 0; start < ids.length; start += pageSize) await this.#lookAt(ids.slice(start, start + pageSize));
		} catch (error) {
			this.#trust.lose();
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
			// Who waits is told now and then why that is so.
			const isDue = job === undefined || job.status === "waiting" || this.#isLapsed(job);
			if (isDue || this.#seen.get(id) !== state) this.#runs.get(id)?.wake();
			this.#seen.set(id, state);
		}
	}

	#isLapsed({ status, lease_expires_at }: Pick<WorkerJobEntity, "status" | "lease_expires_at">): boolean {
		const { clock, lease } = this.#parts;
		if (status !== "taken" || !this.#trust.isGiven() || clock.isOff()) return false;
		return (lease_expires_at ?? "") < toLapsedBefore(clock, lease);
	}

	async #keepContent({ id, content, created_at }: WorkerJobEntity): Promise<void> {
		const { storage, contents, clock } = this.#parts;
		if (content === null || clock.now() - (this.#kept.get(id) ?? fromTimestamp(created_at)) < keepAfter) return;
		this.#kept.set(id, clock.now());
		await storage.write([contents.keep(content)]);
	}

	async #toReason(job: WorkerJobEntity): Promise<string> {
		const { storage, clock } = this.#parts;
		const alive = await storage.find("worker", { where: { expires_at: { gt: toTimestamp(clock.steady()) } } });
		const count = alive.filter((worker) => fits(worker, job)).length;
		const needed = `the labels ${job.labels.join(", ")} and the runner ${job.runner}`;
		return count === 0 ? `no worker has ${needed}` : `a place on a worker with ${needed}`;
	}
}
