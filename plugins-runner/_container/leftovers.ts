import type { JsonValue, Logger } from "../../core/contract/index.ts";
import type { Engine, ListedContainer } from "./engine.ts";

const untilLabel = "svc.until";
/** Seconds after its time-out in which a container may still be wanted: its end may not be stored yet, or a service not be back. */
const margin = 3_600;
/** Seconds for which one is kept that has ended, or never begun, and whose run has no time-out: a service may be away for long. */
const longestAbsence = 7 * 86_400;
/** Milliseconds after the start, so that runs are found again first, and between two looks. */
const usual = { first: 600_000, every: 600_000 };

export interface LeftoversOptions {
	readonly engine: Engine;
	readonly installation: string;
	readonly logger: Logger;
	readonly times?: typeof usual;
}

/**
 * Removes containers that nobody needs any more: those of this service whose run must have timed out an hour ago, whichever node had it, and
 * where there is no time-out those that have done nothing for a week. What is left otherwise is removed when the end of its run is stored.
 */
export class Leftovers {
	readonly #parts: LeftoversOptions;
	readonly #times: typeof usual;
	#timer: NodeJS.Timeout | undefined;
	#sweeping: Promise<void> = Promise.resolve();
	#isStopped = false;

	constructor(parts: LeftoversOptions) {
		this.#parts = parts;
		this.#times = parts.times ?? usual;
	}

	/** What a container is labelled with; nothing where its run has no time-out. */
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

	/** @returns ids of what was removed */
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

	/** @param now in seconds */
	async #isForgotten({ id, labels, isRunning }: ListedContainer, now: number): Promise<boolean> {
		const until = labels[untilLabel];
		if (until !== undefined) return Number(until) < now;
		if (isRunning) return false;
		const found = await this.#parts.engine.look(id);
		return found !== undefined && found.phase !== "running" && found.since / 1_000 + longestAbsence < now;
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
			if (removed.length > 0) logger.info("forgotten containers were removed", { containers: removed });
		} catch (error) {
			logger.warn("forgotten containers could not be looked for", { error });
		}
	}
}
