import { type Logger, type RunContext, SvcError } from "../../core/contract/index.ts";
import type { ContainerView, Engine } from "./engine.ts";
import { EngineRefusal, type EngineUnreachable } from "./engine-errors.ts";
import type { OutputContext } from "./output-pass.ts";
import { toLeaving, untilReached } from "./reach.ts";

/** Name of the label with the live action's id. */
export const liveactionLabel = "svc.liveaction";

export interface OwnContainerOptions {
	readonly engine: Engine;
	readonly logger: Logger;
	readonly context: OutputContext & Pick<RunContext, "signal" | "saveState" | "liveaction_id" | "execution_id">;
	/** Made of the live action's id: who finds it taken has found their own. */
	readonly name: string;
}

/** The container of one run, as it is asked for by its name, for as long as its engine takes to answer. */
export class OwnContainer {
	readonly engine: Engine;
	readonly name: string;
	readonly context: OwnContainerOptions["context"];
	readonly logger: Logger;
	/** Aborts when the service stops: all else waits until the engine has done it. */
	readonly left: AbortSignal;
	#isOutage = false;

	constructor({ engine, logger, context, name }: OwnContainerOptions) {
		this.engine = engine;
		this.name = name;
		this.context = context;
		this.logger = logger;
		this.left = toLeaving(context.signal);
	}

	get isLeft(): boolean {
		return this.left.aborted;
	}

	/** Undefined: there is none. Throws where somebody else has the name. */
	async look(): Promise<ContainerView | undefined> {
		const { engine, name, context } = this;
		const found = await engine.look(name);
		if (found !== undefined && found.labels[liveactionLabel] !== context.liveaction_id) {
			throw new SvcError("SVC_RUNNER", `the engine has a container "${name}" that is not this run's`);
		}
		return found;
	}

	/**
	 * Do it until the engine has answered; undefined once the signal has aborted.
	 *
	 * @param onOutage may throw, where it is of no use to wait
	 */
	async reach<T>(signal: AbortSignal, work: () => Promise<T>, onOutage = (_error: EngineUnreachable) => {}): Promise<T | undefined> {
		const result = await untilReached(signal, work, (error) => {
			onOutage(error);
			const { logger, context } = this;
			if (!this.#isOutage)
				logger.warn("container engine cannot be reached, a run waits for it", { execution_id: context.execution_id, error });
			this.#isOutage = true;
		});
		if (result !== undefined) this.#isOutage = false;
		return result;
	}

	/** What there is of it, once the engine has answered; undefined: the service stops before. */
	lookLong(signal = this.left): Promise<{ readonly found: ContainerView | undefined } | undefined> {
		return this.reach(signal, async () => ({ found: await this.look() }));
	}
}

/** What the engine refuses, with what it was about. */
export async function refusing<T>(what: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof EngineRefusal) throw new SvcError("SVC_RUNNER", `${what}: ${error.message}`, { cause: error });
		throw error;
	}
}
