import { join } from "node:path";
import {
	type Logger,
	RunAborted,
	type RunContext,
	type Runner,
	type RunResult,
	SvcError,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import type { HandedJob } from "../workers-exports.ts";
import { JobReportSender, type RunEnd } from "./job-report-sender.ts";
import type { PackCache } from "./pack-cache.ts";
import type { ServiceClient } from "./service-client.ts";

export interface HeldJobOptions {
	readonly connection: ServiceClient;
	readonly folders: PackCache;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly logger: Logger;
	/** URL of the API without the version. Actions get it with `/v1` appended. */
	readonly serviceUrl: string;
}

/** Returns a function that always throws `SVC_RUNNER`. It replaces a feature of the service that a run on a worker cannot use. */
function refuse(what: string): () => never {
	return () => {
		throw new SvcError("SVC_RUNNER", `${what} is not available on a worker: run the action on a node of the service`);
	};
}

const refuseLater = (what: string) => async (): Promise<never> => refuse(what)();

/** A run that the service has assigned to this worker. */
export class RunningJob {
	readonly id: string;
	readonly fence: string;
	/** Resolves once all processes of the run have ended, and its result is stored or no longer expected. Never rejects. */
	readonly done: Promise<void>;
	/** Time, by `performance.now()`, at which the worker must end the run unless a response of the service has extended it. */
	heldUntil: number;
	/** True once `stop` was called. The next poll reports it to the service. */
	isTold = false;
	/** True once the service no longer expects this worker to run it. Its processes may still be ending. */
	isLost = false;
	/** True once all processes of the run have ended and its result is being sent. */
	isEnding = false;
	readonly #parts: HeldJobOptions;
	readonly #job: HandedJob;
	readonly #ending = new AbortController();
	readonly #given = new AbortController();
	readonly #uplink: JobReportSender;

	constructor(job: HandedJob, heldUntil: number, parts: HeldJobOptions) {
		this.#job = job;
		this.#parts = parts;
		this.id = job.id;
		this.fence = job.fence;
		this.heldUntil = heldUntil;
		this.#uplink = new JobReportSender(parts.connection, job, { maxResultOutput: job.spec.max_result_output, signal: this.#given.signal });
		this.done = this.#run();
	}

	/** Ends the processes of the run. Its result is still sent. */
	stop(kind: RunAborted["kind"], message: string): void {
		this.isTold = true;
		this.#ending.abort(new RunAborted(kind, message));
	}

	/** Ends the run because the service has abandoned it or assigned it to another worker. Sends nothing more to the service. */
	lose(): void {
		// The poll may have been sent before the run ended. The response to the request with the result shows whether the service still accepts
		// it.
		if (this.isEnding) return;
		this.isLost = true;
		this.#given.abort();
		this.stop("shutdown", "the service has abandoned the run");
	}

	async #run(): Promise<void> {
		const { logger } = this.#parts;
		const fields = { execution_id: this.#job.execution_id, action: this.#job.spec.action_ref };
		logger.info("run begins", fields);
		const end = await this.#carryOut().then(
			(result) => this.#toEnd(result),
			(error: unknown) => this.#toEnd({ succeeded: false, result: {} }, error),
		);
		this.isEnding = true;
		await this.#uplink.end(end).catch((error: unknown) => logger.error("end of a run could not be sent", { ...fields, error }));
		logger.info("run has ended", { ...fields, succeeded: end.succeeded });
	}

	async #carryOut(): Promise<RunResult> {
		const { runner: name } = this.#job;
		const runner = this.#parts.runners.get(name);
		if (runner === undefined) throw new SvcError("SVC_RUNNER", `the worker has no runner type "${name}"`);
		const context = await this.#toContext();
		this.#ending.signal.throwIfAborted();
		return runner.run(context);
	}

	/**
	 * Returns the end of a run. A run that this worker stopped on its own is `abandoned`. If the service requested the stop, it knows the
	 * status.
	 */
	#toEnd({ succeeded, result, status }: RunResult, error?: unknown): RunEnd {
		const { signal } = this.#ending;
		const reason = signal.aborted ? (signal.reason as RunAborted) : undefined;
		if (reason?.kind === "shutdown")
			return { succeeded: false, status: "abandoned", result: { ...result, failed: true, succeeded: false, error: reason.message } };
		if (reason !== undefined) return { succeeded: false, result };
		if (error !== undefined) return { succeeded: false, result: {}, error: toErrorMessage(error).slice(0, 10_000) };
		if (status === undefined || status === "failed" || status === "timeout" || status === "abandoned")
			return { succeeded, result, ...(status && { status }) };
		return { succeeded: false, result: {}, error: `a run cannot be "${status}" on a worker` };
	}

	async #toContext(): Promise<RunContext> {
		const { spec, id, execution_id } = this.#job;
		const { folders, logger, serviceUrl } = this.#parts;
		const directory = spec.content === null ? undefined : await folders.directory(this.#job, spec.content);
		return {
			execution_id,
			liveaction_id: id,
			action_ref: spec.action_ref,
			pack: spec.pack,
			user: spec.user,
			entryPoint: directory === undefined ? "" : join(directory, spec.entry_point),
			packDirectory: directory,
			runnerParameters: spec.runner_parameters,
			actionParameters: spec.action_parameters,
			actionSchema: spec.action_schema,
			packConfig: spec.pack_config,
			environment: withApiUrl(spec.environment, `${serviceUrl}/v1`),
			signal: this.#ending.signal,
			pausing: new AbortController().signal,
			logger,
			context: {},
			notify: null,
			takenUp: undefined,
			emit: (type, data) => this.#uplink.emit(type, data),
			captured: (type) => this.#uplink.captured(type),
			setRunnerInfo: () => undefined,
			...asksOfService,
		};
	}
}

/**
 * Returns the environment variables of a run. Every variable that contains the API address of the node gets the address that this worker
 * uses.
 */
function withApiUrl(environment: RunContext["environment"], apiUrl: string): RunContext["environment"] {
	const { SVC_ACTION_API_URL: nodes } = environment;
	const names = Object.keys(environment).filter((name) => nodes !== undefined && environment[name] === nodes);
	return { ...environment, ...Object.fromEntries(names.map((name) => [name, apiUrl])), SVC_ACTION_API_URL: apiUrl };
}

/**
 * Features that only a node provides: a worker refuses each call. `saveState` is one of them, because a run that outlives its worker
 * could not be recovered, and would run at the same time as its replacement.
 */
const asksOfService: Pick<
	RunContext,
	"announce" | "dispatch" | "saveState" | "children" | "journal" | "expressions" | "findAction" | "request"
> = {
	announce: refuse("announcements"),
	dispatch: refuseLater("triggers"),
	saveState: refuseLater("runs that outlive the process (survive_restart)"),
	findAction: refuseLater("other actions"),
	request: refuseLater("pauses"),
	journal: { read: refuseLater("a journal"), append: refuseLater("a journal") },
	expressions: { find: refuse("expressions"), evaluate: refuseLater("expressions") },
	children: {
		start: refuseLater("children"),
		prepare: refuseLater("children"),
		find: refuseLater("children"),
		list: refuseLater("children"),
		ended: refuseLater("children"),
		changes: refuse("children"),
		result: refuseLater("children"),
		cancel: refuseLater("children"),
		pause: refuseLater("children"),
		resume: refuseLater("children"),
	},
};
