import type { Logger } from "../../core/contract/index.ts";
import type { Engine } from "./engine.ts";
import { EngineUnreachable } from "./engine-errors.ts";
import { untilReached } from "./reach.ts";

/** Removes the containers of runs whose end is stored. While the engine cannot be reached it tries again; what is left when the service stops is found by `Leftovers`. */
export class Removals {
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
			this.#logger.warn("container engine cannot be reached, a container is removed later", { container: name, error });
			this.#removeLater(name);
		}
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await Promise.all(this.#going);
	}

	#removeLater(name: string): void {
		const removing = untilReached(
			this.#stopped.signal,
			async () => void (await this.#engine.remove(name)),
			() => {},
		)
			.catch((error: unknown) => this.#logger.warn("container could not be removed", { container: name, error }))
			.finally(() => this.#going.delete(removing));
		this.#going.add(removing);
	}
}
