import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isSvcError, type JsonObject, toErrorMessage } from "../../../core/contract/index.ts";
import { settledWithin, wait } from "../../../core/feature.ts";
import type { HandedJob, WorkerNews } from "../workers-exports.ts";
import { type HeldJobOptions, RunningJob } from "./running-job.ts";

export interface WorkerOptions extends HeldJobOptions {
	readonly name: string;
	readonly labels: readonly string[];
	readonly version: string;
	/** Maximum number of runs at a time. */
	readonly places: number;
	/** Called if the service refuses the worker before it has accepted any poll, such as for an invalid key. */
	readonly onRefused: (error: Error) => void;
}

/** Maximum seconds for which a poll waits for work. The service limits this to a third of the lease. */
const maxWait = 20;
/** Minimum and maximum milliseconds between polls while the service is unreachable. */
const firstPause = 100;
const maxPause = 2_000;
/** Maximum milliseconds for which a stop waits until the service has confirmed that the worker is leaving. */
const maxStopMs = 5_000;
/** Milliseconds within which an empty response causes a pause: a stopping service responds at once. */
const early = 50;

/**
 * Carries out runs that a service assigns to it. Each poll reports the current runs and requests more. Each run sends its output and its
 * result in separate requests. If no response has arrived for two thirds of the lease, the worker ends its runs. So it has ended a run
 * before the service recovers it, and no run is carried out twice at the same time.
 */
export class Worker {
	readonly #parts: WorkerOptions;
	readonly #instance = randomBytes(16).toString("hex");
	readonly #jobs = new Map<string, RunningJob>();
	readonly #closing = new AbortController();
	#isDraining = false;
	/** The pending poll. A stop aborts it, so that the next poll reports the stop. */
	#asking: { readonly controller: AbortController } | undefined;
	#polling: Promise<void> | undefined;
	#watch: NodeJS.Timeout | undefined;
	#isAway = false;
	/**
	 * True if the last poll failed. The next one then does not wait for work. Otherwise an unreliable connection might never renew the lease.
	 */
	#isCut = false;
	/**
	 * True once the service has confirmed that the worker accepts no new runs. It has then withdrawn runs that it assigned in a response that
	 * was lost.
	 */
	#isLeft = false;
	#onLeft: () => void = () => {};
	/**
	 * True once the service has accepted a poll. A refusal after that may be temporary, for example while a proxy in front of the service is
	 * changed.
	 */
	#isKnown = false;

	constructor(parts: WorkerOptions) {
		this.#parts = parts;
	}

	/** Number of runs in progress. */
	get running(): number {
		return this.#jobs.size;
	}

	start(): void {
		this.#polling = this.#pollAll();
		this.#watch = setInterval(() => this.#endUnheld(), 100);
	}

	/**
	 * Accepts no new runs, lets current runs continue for up to `grace` milliseconds, and then ends them. Resolves once the results of all
	 * runs were sent. Also tells the service that the worker leaves, so that a run assigned in the response to the aborted poll is reassigned
	 * at once, and not only when its lease expires.
	 */
	async stop(grace: number): Promise<void> {
		const left = new Promise<void>((resolve) => {
			this.#onLeft = resolve;
		});
		this.#isDraining = true;
		this.#asking?.controller.abort();
		await Promise.all([settledWithin(this.#idle(), grace), settledWithin(left, Math.min(grace, maxStopMs))]);
		await this.abort();
	}

	/** Ends all runs at once. */
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
				pause = Math.min(pause * 2, maxPause);
			} finally {
				this.#asking = undefined;
			}
		}
	}

	async #ask(): Promise<WorkerNews> {
		const { connection, name, labels, runners, version, places } = this.#parts;
		const free = this.#isDraining ? 0 : Math.max(0, places - this.#jobs.size);
		this.#asking = { controller: new AbortController() };
		// Leave out runs that the service has abandoned: it would respond at once that they are lost, and the worker would poll without a pause.
		const own = [...this.#jobs.values()].filter(({ isLost }) => !isLost);
		const jobs = own.map(({ id, fence, isTold: told, isEnding: ending }) => ({ id, fence, told, ending }));
		const isDraining = this.#isDraining;
		const isAtOnce = this.#isCut || (isDraining && !this.#isLeft);
		const body = {
			...{ instance: this.#instance, name, hostname: hostname(), pid: process.pid, version, labels, runners: [...runners.keys()] },
			...{ places, free, draining: isDraining, jobs, wait: isAtOnce ? 0 : maxWait },
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
		if (this.#isAway) this.#parts.logger.info("the service is reachable again", {});
		this.#isAway = false;
		this.#isKnown = true;
		for (const id of lost) this.#jobs.get(id)?.lose();
		const heldUntil = begun + (lease * 2_000) / 3;
		for (const [id, job] of this.#jobs) if (!lost.includes(id)) job.heldUntil = heldUntil;
		for (const { id, kind } of stops)
			this.#jobs.get(id)?.stop(kind, kind === "cancel" ? "canceled by user" : "the action exceeded its timeout");
		// If the response is this late, the service may have assigned its runs to another worker. Otherwise the next response contains them
		// again.
		if (performance.now() >= heldUntil) return;
		for (const job of jobs) if (!this.#jobs.has(job.id)) this.#begin(job, heldUntil);
	}

	#begin(handed: HandedJob, heldUntil: number): void {
		const job = new RunningJob(handed, heldUntil, this.#parts);
		this.#jobs.set(job.id, job);
		// The request with the result shows the service that a slot is free, so that it responds to the pending poll.
		void job.done.then(() => this.#jobs.delete(job.id));
	}

	/**
	 * Ends runs whose lease was not renewed in time. When the lease expires, the service may assign the run to another worker, and it must not
	 * be running here any more.
	 */
	#endUnheld(): void {
		for (const job of this.#jobs.values()) {
			if (job.isTold || performance.now() < job.heldUntil) continue;
			this.#parts.logger.warn("the service does not respond in time; a run is ended", { liveaction_id: job.id });
			job.stop("shutdown", `the worker "${this.#parts.name}" could not reach the service in time`);
		}
	}

	#note(error: unknown): void {
		const { logger, onRefused } = this.#parts;
		if (isSvcError(error) && error.code !== "SVC_UNAVAILABLE" && !this.#isKnown) return onRefused(error);
		if (!this.#isAway) logger.warn("the service cannot be reached; retrying until it can", { problem: toErrorMessage(error) });
		this.#isAway = true;
	}
}
