import { type Logger, type RunContext, SvcError } from "../../core/contract/index.ts";
import type { ContainerView, Engine } from "./engine.ts";
import { EngineRefusal, type EngineUnreachable } from "./engine-errors.ts";
import type { OutputContext } from "./record-output.ts";
import { retryUntilReached, toShutdownSignal } from "./retry-until-reached.ts";

/** Name of the label that contains the live action's id. */
export const liveactionLabel = "svc.liveaction";

export interface OwnContainerOptions {
	readonly engine: Engine;
	readonly logger: Logger;
	readonly context: OutputContext & Pick<RunContext, "signal" | "saveState" | "liveaction_id" | "execution_id">;
	/** Name derived from the live action's id. A container with this name was created for the same run. */
	readonly name: string;
}

/** The container of one run, addressed by its name. Requests are retried while the engine is unreachable. */
export class RunContainer {
	readonly engine: Engine;
	readonly name: string;
	readonly context: OwnContainerOptions["context"];
	readonly logger: Logger;
	/** Aborts when the service stops. Other reasons to abort the run do not end the retries. */
	readonly left: AbortSignal;
	#isOutage = false;

	constructor({ engine, logger, context, name }: OwnContainerOptions) {
		this.engine = engine;
		this.name = name;
		this.context = context;
		this.logger = logger;
		this.left = toShutdownSignal(context.signal);
	}

	get isLeft(): boolean {
		return this.left.aborted;
	}

	/** Returns the container; undefined if it does not exist. Throws if the container with this name belongs to another run. */
	async look(): Promise<ContainerView | undefined> {
		const { engine, name, context } = this;
		const found = await engine.look(name);
		if (found !== undefined && found.labels[liveactionLabel] !== context.liveaction_id) {
			throw new SvcError("SVC_RUNNER", `the engine has a container "${name}" that does not belong to this run`);
		}
		return found;
	}

	/**
	 * Repeats the work until the engine has answered. Returns undefined if the signal aborts.
	 *
	 * @param onOutage called after each failed request; throws if retrying is useless
	 */
	async reach<T>(signal: AbortSignal, work: () => Promise<T>, onOutage = (_error: EngineUnreachable) => {}): Promise<T | undefined> {
		const result = await retryUntilReached(signal, work, (error) => {
			onOutage(error);
			const { logger, context } = this;
			if (!this.#isOutage) logger.warn("container engine cannot be reached; run is waiting", { execution_id: context.execution_id, error });
			this.#isOutage = true;
		});
		if (result !== undefined) this.#isOutage = false;
		return result;
	}

	/** Returns the state of the container, with retries until the engine has answered. Returns undefined if the service stops first. */
	lookLong(signal = this.left): Promise<{ readonly found: ContainerView | undefined } | undefined> {
		return this.reach(signal, async () => ({ found: await this.look() }));
	}
}

/** Converts a refusal of the engine to `SVC_RUNNER` with the description of the failed operation. */
export async function refusing<T>(what: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof EngineRefusal) throw new SvcError("SVC_RUNNER", `${what}: ${error.message}`, { cause: error });
		throw error;
	}
}
