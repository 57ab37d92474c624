import { SvcError } from "../../core/contract/index.ts";
import { isId, type Principal, toStableId, toTimestamp } from "../../core/feature.ts";
import type { WorkerEntity } from "./entities.ts";
import { type HeldJob, HeldJobs } from "./held-jobs.ts";
import { JobAssigner, type JobAssignmentDependencies, maxAssignedJobs, type Taker } from "./job-assignment.ts";
import { JobReports, type JobReportsDependencies } from "./job-reports.ts";
import { fits } from "./label-match.ts";
import type { WorkerNotification } from "./worker-notifications.ts";
import { WorkerPresence, type WorkerPresenceDependencies } from "./worker-presence.ts";
import type { WorkerNews, WorkerPoll, WorkerRun, Workers, WorkerView } from "./workers-exports.ts";

/** Maximum number of listed workers, and of listed runs of one worker. */
const maxShown = 200;
const maxRuns = 100;

export interface StoredWorkersDependencies extends JobReportsDependencies, JobAssignmentDependencies, WorkerPresenceDependencies {
	/** Seconds between polls of the storage. */
	readonly pollInterval: number;
}

interface Request extends Taker {
	/** Jobs that the worker held when the request arrived. */
	readonly held: ReadonlySet<string>;
	readonly signal: AbortSignal;
}

/** Serves workers on any node. All state of workers and jobs is in the storage. */
export class StoredWorkers implements Workers {
	readonly reports: JobReports;
	readonly #parts: StoredWorkersDependencies;
	readonly #notes: WorkerPresence;
	readonly #jobs: HeldJobs;
	readonly #jobAssignment: JobAssigner;
	#isOpen = true;

	constructor(parts: StoredWorkersDependencies) {
		this.#parts = parts;
		this.reports = new JobReports(parts);
		this.#notes = new WorkerPresence(parts);
		this.#jobs = new HeldJobs(parts);
		this.#jobAssignment = new JobAssigner(parts);
	}

	/** Answers all waiting polls. Until `open` is called, later polls do not wait and get no jobs. */
	close(): void {
		this.#isOpen = false;
		this.#parts.notifications.notify({ about: "stop", job: undefined });
	}

	open(): void {
		this.#isOpen = true;
	}

	async list(): Promise<readonly WorkerView[]> {
		const found = await this.#parts.storage.find("worker", { orderBy: [["expires_at", "desc"]], limit: maxShown });
		const byName = found.sort((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -1 : 1));
		return byName.map((worker) => this.#toView(worker));
	}

	async get(idOrName: string): Promise<WorkerView> {
		const { storage } = this.#parts;
		const byId = isId(idOrName) ? await storage.get("worker", idOrName) : undefined;
		if (byId !== undefined) return this.#toView(byId);
		const found = await storage.find("worker", { where: { name: idOrName }, limit: maxShown });
		const views = found.map((worker) => this.#toView(worker));
		const alive = views.filter(({ isAlive }) => isAlive);
		const [one, other] = alive.length > 0 ? alive : views;
		if (one === undefined) throw new SvcError("SVC_NOT_FOUND", `worker "${idOrName}" cannot be found`);
		if (other !== undefined) throw new SvcError("SVC_INVALID", `worker: several workers have the name "${idOrName}"; give an id`);
		return one;
	}

	async running(worker: string): Promise<readonly WorkerRun[]> {
		const { storage } = this.#parts;
		const jobs = await storage.find("worker_job", {
			where: { worker, status: "taken" },
			orderBy: [["id", "desc"]],
			limit: maxRuns,
			fields: ["execution_id"],
		});
		if (jobs.length === 0) return [];
		const where = { id: { in: jobs.map(({ execution_id }) => execution_id) } };
		return storage.find("execution", { where, orderBy: [["id", "desc"]], fields: ["id", "action_ref", "status"] });
	}

	async poll(poll: WorkerPoll, { username: user }: Principal, signal: AbortSignal): Promise<WorkerNews> {
		const { lease, notifications, pollInterval } = this.#parts;
		const worker = toStableId(`worker ${user} ${poll.instance}`);
		await this.#notes.note(worker, poll, user);
		const deadline = performance.now() + Math.min(poll.wait, lease / 3) * 1_000;
		let notified = new AbortController();
		let free: number | undefined;
		const forget = notifications.on((notification) => isFor(notification, { worker, poll, free }) && notified.abort());
		try {
			let own = await this.#jobs.of(worker, poll);
			const request = { worker, user, poll, held: await this.#jobs.renew(worker, poll, own), signal };
			for (;;) {
				const { jobs, stops, lost, ...look } = await this.#look(request, own);
				const isNew = jobs.length + stops.length + lost.length > 0;
				const left = deadline - performance.now();
				if (isNew || left <= 0 || signal.aborted || !this.#isOpen) return { lease, jobs, stops, lost };
				free = look.free;
				await waitFor([notified.signal, signal], Math.min(left, pollInterval * 1_000));
				notified = new AbortController();
				free = undefined;
				own = await this.#jobs.of(worker, poll);
			}
		} finally {
			forget();
		}
	}

	async #look(request: Request, own: readonly HeldJob[]): Promise<Omit<WorkerNews, "lease"> & { readonly free: number }> {
		const { poll, held, signal } = request;
		const listed = new Map(poll.jobs.map((job) => [job.id, job]));
		const stops = own.flatMap(({ id, stop: kind }) => (kind !== null && listed.get(id)?.told === false ? [{ id, kind }] : []));
		// If the worker is sending the end of a job, the response to that request reports a lost job.
		const lost = poll.jobs.filter(({ id, ending }) => !held.has(id) && ending !== true).map(({ id }) => id);
		// The worker does not list these jobs, so it has not received the response that assigned them: its requests are sequential.
		const missed = own.filter(({ id }) => !listed.has(id));
		if (poll.draining) await this.#jobAssignment.takeBack(request.worker, missed);
		const again = poll.draining ? [] : await this.#jobAssignment.again(request.worker, missed);
		// Jobs that have ended since the request arrived have freed slots.
		const ended = [...held].filter((id) => !own.some((job) => job.id === id)).length;
		const free = poll.free + ended - again.length;
		const taken = signal.aborted || !this.#isOpen ? [] : await this.#jobAssignment.take(request, free);
		const jobs = [...again, ...taken].slice(0, maxAssignedJobs).map((job) => this.#jobAssignment.toHanded(job));
		return { jobs, stops, lost, free: free - taken.length };
	}

	#toView(worker: WorkerEntity): WorkerView {
		return { worker, isAlive: worker.expires_at > toTimestamp(this.#parts.clock.steady()) };
	}
}

/**
 * Returns true if a notification can change the response to a worker. `free` is the number of free slots after the last read of the
 * storage; undefined while the storage is read.
 */
function isFor(
	notification: WorkerNotification,
	{ worker, poll, free }: { readonly worker: string; readonly poll: WorkerPoll; readonly free: number | undefined },
): boolean {
	if (notification.worker !== undefined && notification.worker !== worker) return false;
	if (notification.about === "work") return (free ?? 1) > 0 && (notification.needs === undefined || fits(poll, notification.needs));
	if (notification.about === "room") return (free ?? 0) <= 0;
	return notification.about === "stop";
}

/** Resolves when one of the signals aborts, or after the given milliseconds. */
async function waitFor(signals: readonly AbortSignal[], milliseconds: number): Promise<void> {
	await new Promise<void>((resolve) => {
		const done = () => {
			clearTimeout(timer);
			for (const signal of signals) signal.removeEventListener("abort", done);
			resolve();
		};
		const timer = setTimeout(done, milliseconds);
		for (const signal of signals) signal.addEventListener("abort", done);
		if (signals.some(({ aborted }) => aborted)) done();
	});
}
