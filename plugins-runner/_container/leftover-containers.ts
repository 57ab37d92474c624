import type { JsonValue, Logger } from "../../core/contract/index.ts";
import type { Engine, ListedContainer } from "./engine.ts";

const untilLabel = "svc.until";
/**
 * Seconds for which a container is kept after the timeout of its run: the result may not be stored yet, or the service may be unavailable.
 */
const margin = 3_600;
/** Seconds for which a container that does not run is kept if its run has no timeout. The service may be unavailable for a long time. */
const maxAbsence = 7 * 86_400;
/** Milliseconds before the first cleanup, so that runs are recovered first, and milliseconds between two cleanups. */
const defaultIntervals = { first: 600_000, every: 600_000 };

export interface LeftoverContainersOptions {
	readonly engine: Engine;
	readonly installation: string;
	readonly logger: Logger;
	readonly times?: typeof defaultIntervals;
}

/**
 * Removes containers of this service that are no longer needed, whichever node created them. Normally a container is removed when the
 * result of its run is stored. A container that remains is removed an hour after the timeout of its run. If the run has no timeout, it is
 * removed after a week in which it did not run.
 */
export class LeftoverContainers {
	readonly #parts: LeftoverContainersOptions;
	readonly #times: typeof defaultIntervals;
	#timer: NodeJS.Timeout | undefined;
	#sweeping: Promise<void> = Promise.resolve();
	#isStopped = false;

	constructor(parts: LeftoverContainersOptions) {
		this.#parts = parts;
		this.#times = parts.times ?? defaultIntervals;
	}

	/** Returns the label with the time of removal; empty if the run has no timeout. */
	static toLabel(timeout: JsonValue | undefined, now = Date.now()): Record<string, string> {
		if (typeof timeout !== "number" || !(timeout > 0)) return {};
		return { [untilLabel]: String(Math.ceil(now / 1_000 + timeout + margin)) };
	}

	start(): void {
		this.#plan(this.#times.first);
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		await this.#sweeping;
	}

	/** @returns ids of the removed containers */
	async sweep(now = Date.now()): Promise<readonly string[]> {
		const { engine, installation } = this.#parts;
		const removed: string[] = [];
		for (const container of await engine.list(`svc.installation=${installation}`)) {
			if (this.#isStopped) break;
			if (!(await this.#isForgotten(container, now / 1_000))) continue;
			await engine.remove(container.id);
			removed.push(container.id);
		}
		return removed;
	}

	/** @param now seconds since 1970 */
	async #isForgotten({ id, labels, isRunning }: ListedContainer, now: number): Promise<boolean> {
		const until = labels[untilLabel];
		if (until !== undefined) return Number(until) < now;
		if (isRunning) return false;
		const found = await this.#parts.engine.look(id);
		return found !== undefined && found.phase !== "running" && found.since / 1_000 + maxAbsence < now;
	}

	#plan(milliseconds: number): void {
		if (this.#isStopped) return;
		this.#timer = setTimeout(() => {
			this.#sweeping = this.#sweepAndTell().finally(() => this.#plan(this.#times.every));
		}, milliseconds).unref();
	}

	async #sweepAndTell(): Promise<void> {
		const { logger } = this.#parts;
		try {
			const removed = await this.sweep();
			if (removed.length > 0) logger.info("leftover containers were removed", { containers: removed });
		} catch (error) {
			logger.warn("searching for leftover containers failed", { error });
		}
	}
}
