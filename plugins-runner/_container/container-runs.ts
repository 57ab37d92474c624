import { createHash } from "node:crypto";
import { hostname } from "node:os";
import {
	type JsonObject,
	type JsonValue,
	type Logger,
	type PluginContext,
	RunAborted,
	type RunContext,
	type RunResult,
	SvcError,
} from "../../core/contract/index.ts";
import { createOutputResult, toExitCodeError } from "../_shell/index.ts";
import { assertOptions, type ContainerOptions, defaults } from "./container-options.ts";
import { type ContainerEnd, ContainerRun, type PreparedContainer } from "./container-run.ts";
import { type ContainerProgram, type GivenLimits, toContainerSpec } from "./container-spec.ts";
import { Engine } from "./engine.ts";
import { readAddress, toPlace } from "./engine-address.ts";
import { EngineClient } from "./engine-client.ts";
import { EngineUnreachable } from "./engine-errors.ts";
import { toRegistryCredentials } from "./image.ts";
import { LeftoverContainers } from "./leftover-containers.ts";
import { retryUntilReached, toShutdownSignal } from "./retry-until-reached.ts";
import { liveactionLabel } from "./run-container.ts";

/** The program, limits and files of an action in a container. */
export interface ContainerWork {
	readonly program: ContainerProgram;
	readonly limits: GivenLimits;
	/** Archive unpacked into the program's `directory` before it starts. */
	readonly archive?: Buffer;
}

/** The members of the run's context that its container needs. */
type Context = Pick<
	RunContext,
	"execution_id" | "liveaction_id" | "action_ref" | "signal" | "emit" | "captured" | "saveState" | "setRunnerInfo"
> & {
	readonly runnerParameters: { readonly timeout?: JsonValue };
};

interface Started {
	readonly engine: Engine;
	readonly isLocal: boolean;
	/** Address of the engine, as stored in states. */
	readonly place: string;
	readonly installation: string;
	readonly logger: Logger;
	readonly leftovers: LeftoverContainers;
	readonly removals: Removals;
}

/** Creates, follows, recovers and removes the containers of one runner. */
export class ContainerRuns {
	readonly #options: ContainerOptions;
	#started: Started | undefined;

	constructor(options: ContainerOptions) {
		this.#options = options;
	}

	/** Throws `SVC_CONFIG` if options are invalid. Sends no request to the engine. */
	check(): void {
		assertOptions(this.#options);
		readAddress(this.#options);
	}

	start({ logger, dataDirectory }: PluginContext): void {
		assertOptions(this.#options);
		const address = readAddress(this.#options);
		const engine = new Engine(new EngineClient(address));
		const installation = this.#options.installation ?? toInstallation(dataDirectory);
		const leftovers = new LeftoverContainers({ engine, installation, logger });
		leftovers.start();
		const removals = new Removals(engine, logger);
		const isLocal = "socketPath" in address;
		this.#started = { engine, isLocal, place: toPlace(address), installation, logger, leftovers, removals };
	}

	async stop(): Promise<void> {
		const started = this.#started;
		this.#started = undefined;
		await Promise.all([started?.leftovers.stop(), started?.removals.stop()]);
	}

	run(context: Context, work: () => Promise<ContainerWork>): Promise<ContainerEnd> {
		return this.#create(context, work).run();
	}

	/** Returns undefined if the container belongs to another engine. */
	recover(context: Context, state: JsonObject, work: () => Promise<ContainerWork>): Promise<ContainerEnd | undefined> {
		return this.#create(context, work).recover(state);
	}

	/**
	 * Reads a file of a run that has ended. Returns undefined if it does not exist, and `left` if the service stops before the engine has
	 * answered.
	 */
	async read(context: Context, path: string, most: number): Promise<Buffer | "left" | undefined> {
		const { engine, logger } = this.#get();
		const answer = await retryUntilReached(
			toShutdownSignal(context.signal),
			async () => ({ content: await engine.download(toName(context.liveaction_id), path, most) }),
			(error) =>
				logger.debug("container engine cannot be reached; the result of a run is delayed", { execution_id: context.execution_id, error }),
		);
		return answer === undefined ? "left" : answer.content;
	}

	/** Removes the container of a run whose result is stored. */
	async forget({ liveaction_id }: Pick<RunContext, "liveaction_id">): Promise<void> {
		await this.#started?.removals.remove(toName(liveaction_id));
	}

	#create(context: Context, work: () => Promise<ContainerWork>): ContainerRun {
		const { engine, logger, place } = this.#get();
		const name = toName(context.liveaction_id);
		context.setRunnerInfo({ hostname: hostname() });
		return new ContainerRun({
			...{ engine, logger, context, name, place },
			grace: this.#options.stop_grace ?? defaults.stop_grace,
			prepare: async () => this.#prepare(context, await work()),
			onImagePull: (image) => context.emit("other", `pulling image ${image}\n`),
		});
	}

	async #prepare(context: Context, { program, limits, archive }: ContainerWork): Promise<PreparedContainer> {
		const { isLocal, installation } = this.#get();
		const labels = toLabels(context, installation);
		const spec = await toContainerSpec(program, limits, { options: this.#options, labels, isLocal });
		const { directory } = program;
		return {
			...spec,
			credentials: toRegistryCredentials(program.image, this.#options),
			...(directory === undefined || archive === undefined ? {} : { files: { directory, archive } }),
		};
	}

	#get(): Started {
		if (this.#started === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
		return this.#started;
	}
}

/** Returns the name of a run's container. It is as unique as the live action's id, which is never reused. */
function toName(liveactionId: string): string {
	return `svc-${liveactionId}`;
}

/** Returns an id that distinguishes this service from others that use the same engine. */
function toInstallation(dataDirectory: string): string {
	return createHash("sha256").update(`${hostname()}\n${dataDirectory}`).digest("hex").slice(0, 16);
}

function toLabels({ execution_id, liveaction_id, action_ref, runnerParameters }: Context, installation: string): Record<string, string> {
	return {
		"svc.installation": installation,
		"svc.execution": execution_id,
		[liveactionLabel]: liveaction_id,
		"svc.action": action_ref,
		...LeftoverContainers.toLabel(runnerParameters.timeout),
	};
}

/** Returns the result of an execution whose container has ended, in the format of a shell action. */
export function toContainerResult(context: RunContext, end: ContainerEnd): RunResult {
	if (end === "left") return { succeeded: false, status: "running", result: {} };
	const { signal, runnerParameters } = context;
	const timedOut = signal.reason instanceof RunAborted && signal.reason.kind === "timeout";
	const number = timedOut ? -9 : typeof end === "string" ? -1 : end.exitCode;
	const succeeded = number === 0 && !signal.aborted;
	const error = timedOut ? `Action failed to complete in ${String(runnerParameters["timeout"])} seconds` : toError(end, signal);
	const result = {
		failed: !succeeded,
		succeeded,
		return_code: number,
		...createOutputResult((type) => context.captured(type)),
		...(error === undefined ? {} : { error }),
	};
	return { succeeded, result };
}

/** Returns the reason for the end, or undefined if the exit code is sufficient. */
export function toError(end: Exclude<ContainerEnd, "left">, signal: AbortSignal): string | undefined {
	if (signal.aborted) return undefined;
	if (end === "gone") return "the container was removed by another client";
	if (end === "unstarted") return "the container was not started";
	if (end.outOfMemory) return "the container was killed because it exceeded its memory limit";
	if (end.exitCode === 0) return undefined;
	// Not all engines report that memory ran out, and none reports it always, so derive an error from the exit code.
	return end.error === "" ? toExitCodeError(end.exitCode) : end.error;
}

/**
 * Removes the containers of runs whose result is stored. Retries while the engine is unreachable. If the service stops first,
 * `LeftoverContainers` removes the containers later.
 */
class Removals {
	readonly #engine: Engine;
	readonly #logger: Logger;
	readonly #stopped = new AbortController();
	readonly #going = new Set<Promise<unknown>>();

	constructor(engine: Engine, logger: Logger) {
		this.#engine = engine;
		this.#logger = logger;
	}

	async remove(name: string): Promise<void> {
		try {
			await this.#engine.remove(name);
		} catch (error) {
			if (!(error instanceof EngineUnreachable)) throw error;
			this.#logger.warn("container engine cannot be reached; a container will be removed later", { container: name, error });
			this.#removeLater(name);
		}
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await Promise.all(this.#going);
	}

	#removeLater(name: string): void {
		const removing = retryUntilReached(
			this.#stopped.signal,
			async () => void (await this.#engine.remove(name)),
			() => {},
		)
			.catch((error: unknown) => this.#logger.warn("container could not be removed", { container: name, error }))
			.finally(() => this.#going.delete(removing));
		this.#going.add(removing);
	}
}
