import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isSvcError, type JsonObject, toErrorMessage } from "../../contract/index.ts";
import type { HandedJob, WorkerNews } from "../../features/workers/workers-api.ts";
import { settledWithin, wait } from "../../lib/wait.ts";
import { HeldJob, type HeldJobOptions } from "./held-job.ts";

export interface WorkerOptions extends HeldJobOptions {
	readonly name: string;
	readonly labels: readonly string[];
	readonly version: string;
	/** Most runs at once. */
	readonly places: number;
	/** The service has refused the worker itself, which a further try would not change. */
	readonly onRefused: (error: Error) => void;
}

/** Seconds for which a request waits for work; the service cuts that to a third of the lease. */
const longestWait = 20;
/** Milliseconds between tries when the service cannot be reached, at first and at most. */
const firstPause = 100;
const longestPause = 2_000;
/** Milliseconds for which a worker without runs waits until the service knows that it leaves. */
const longestFarewell = 5_000;
/** Milliseconds; an empty answer before that is one of a service that is about to stop. */
const early = 50;

/**
 * Takes runs from a service and carries them out. All it says to the service is one request after another that tells what it has and asks
 * for more, and beside that what each run hands over. When no answer has come for two thirds of the lease it ends what runs here: by the time
 * at which the service gives a run up, nothing of it is left.
 */
export class Worker {
	readonly #parts: WorkerOptions;
	readonly #instance = randomBytes(16).toString("hex");
	readonly #jobs = new Map<string, HeldJob>();
	readonly #closing = new AbortController();
	#isDraining = false;
	/** The request for work that waits, to be asked again when there is something else to say. */
	#asking: { readonly controller: AbortController } | undefined;
	#polling: Promise<void> | undefined;
	#watch: NodeJS.Timeout | undefined;
	#isAway = false;
	/** Whether the last request was not answered: the next one does not wait, or a line that is cut now and then would never renew anything. */
	#isCut = false;
	/** Whether the service knows that nothing new is wanted, so that it has taken back what no answer has brought here. */
	#isLeft = false;
	#onLeft: () => void = () => {};
	/** Whether the service has answered once: what it refuses afterwards may be over soon, as while a proxy in front of it is changed. */
	#isKnown = false;

	constructor(parts: WorkerOptions) {
		this.#parts = parts;
	}

	/** How many runs it has. */
	get running(): number {
		return this.#jobs.size;
	}

	start(): void {
		this.#polling = this.#pollAll();
		this.#watch = setInterval(() => this.#endUnheld(), 100);
	}

	/**
	 * Take nothing new, let what runs go on for so many milliseconds, then end it. Resolves when all of it is told, also that there is nobody here
	 * any more: what the request that waited was given in this moment waits for another worker instead of for the end of its lease.
	 */
	async stop(grace: number): Promise<void> {
		const left = new Promise<void>((resolve) => {
			this.#onLeft = resolve;
		});
		this.#isDraining = true;
		this.#asking?.controller.abort();
		await Promise.all([settledWithin(this.#idle(), grace), settledWithin(left, Math.min(grace, longestFarewell))]);
		await this.abort();
	}

	/** End what runs at once. */
	async abort(): Promise<void> {
		this.#isDraining = true;
		for (const job of this.#jobs.values()) job.stop("shutdown", `the worker "${this.#parts.name}" was stopped`);
		await this.#idle();
		this.#closing.abort();
		this.#asking?.controller.abort();
		await this.#polling;
		clearInterval(this.#watch);
	}

	async #idle(): Promise<void> {
		while (this.#jobs.size > 0) await Promise.all([...this.#jobs.values()].map(({ done }) => done));
	}

	async #pollAll(): Promise<void> {
		const { signal } = this.#closing;
		for (let pause = firstPause; !signal.aborted; ) {
			const begun = performance.now();
			try {
				const news = await this.#ask();
				this.#isCut = false;
				this.#take(news, begun);
				pause = firstPause;
				const isEmpty = news.jobs.length + news.stops.length + news.lost.length === 0;
				if (isEmpty && performance.now() - begun < early) await wait(firstPause, signal);
			} catch (error) {
				if (this.#asking?.controller.signal.aborted === true) continue;
				this.#isCut = true;
				this.#note(error);
				await wait(pause, signal);
				pause = Math.min(pause * 2, longestPause);
			} finally {
				this.#asking = undefined;
			}
		}
	}

	async #ask(): Promise<WorkerNews> {
		const { connection, name, labels, runners, version, places } = this.#parts;
		const free = this.#isDraining ? 0 : Math.max(0, places - this.#jobs.size);
		this.#asking = { controller: new AbortController() };
		// To ask of what is lost would be answered at once, again and again.
		const own = [...this.#jobs.values()].filter(({ isLost }) => !isLost);
		const jobs = own.map(({ id, fence, isTold: told, isEnding: ending }) => ({ id, fence, told, ending }));
		const isDraining = this.#isDraining;
		const isAtOnce = this.#isCut || (isDraining && !this.#isLeft);
		const body = {
			...{ instance: this.#instance, name, hostname: hostname(), pid: process.pid, version, labels, runners: [...runners.keys()] },
			...{ places, free, draining: isDraining, jobs, wait: isAtOnce ? 0 : longestWait },
		} satisfies JsonObject;
		const news = await connection.post<WorkerNews>("/workers/poll", body, this.#asking.controller.signal);
		if (isDraining) this.#leave();
		return news;
	}

	#leave(): void {
		this.#isLeft = true;
		this.#onLeft();
	}

	#take({ lease, jobs, stops, lost }: WorkerNews, begun: number): void {
		if (this.#isAway) this.#parts.logger.info("the service is there again", {});
		this.#isAway = false;
		this.#isKnown = true;
		for (const id of lost) this.#jobs.get(id)?.lose();
		const heldUntil = begun + (lease * 2_000) / 3;
		for (const [id, job] of this.#jobs) if (!lost.includes(id)) job.heldUntil = heldUntil;
		for (const { id, kind } of stops)
			this.#jobs.get(id)?.stop(kind, kind === "cancel" ? "canceled by user" : "the time of the action is over");
		// What has been on its way for so long may be somebody else's by now; the next answer gives it again where it is not.
		if (performance.now() >= heldUntil) return;
		for (const job of jobs) if (!this.#jobs.has(job.id)) this.#begin(job, heldUntil);
	}

	#begin(handed: HandedJob, heldUntil: number): void {
		const job = new HeldJob(handed, heldUntil, this.#parts);
		this.#jobs.set(job.id, job);
		// The service knows with the end that there is a place again, also for a request that waits.
		void job.done.then(() => this.#jobs.delete(job.id));
	}

	/** What the service may give to nobody else as long as it believes it is here must not be here when it believes that no longer. */
	#endUnheld(): void {
		for (const job of this.#jobs.values()) {
			if (job.isTold || performance.now() < job.heldUntil) continue;
			this.#parts.logger.warn("the service does not answer in time, a run ends here", { liveaction_id: job.id });
			job.stop("shutdown", `the worker "${this.#parts.name}" could not reach the service in time`);
		}
	}

	#note(error: unknown): void {
		const { logger, onRefused } = this.#parts;
		if (isSvcError(error) && error.code !== "SVC_UNAVAILABLE" && !this.#isKnown) return onRefused(error);
		if (!this.#isAway) logger.warn("the service cannot be reached; tried again until it can", { problem: toErrorMessage(error) });
		this.#isAway = true;
	}
}
