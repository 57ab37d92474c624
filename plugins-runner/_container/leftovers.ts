import type { JsonValue, Logger } from "../../core/contract/index.ts";
import type { Engine, ListedContainer } from "./engine.ts";

const untilLabel = "svc.until";
/** Seconds after its time-out in which a container may still be wanted: its end may not be stored yet, or a service not be back. */
const margin = 3_600;
/** Milliseconds after the start, so that runs are found again first, and between two looks. */
const first = 600_000;
const every = 600_000;

export interface LeftoversParts {
	readonly engine: Engine;
	readonly installation: string;
	readonly logger: Logger;
}

/**
 * Removes containers that nobody needs any more: those of this service whose run must have timed out an hour ago, whichever node had it. What is
 * left otherwise is removed when the end of its run is stored.
 */
export class Leftovers {
	readonly #parts: LeftoversParts;
	#timer: NodeJS.Timeout | undefined;
	#sweeping: Promise<void> = Promise.resolve();

	constructor(parts: LeftoversParts) {
		this.#parts = parts;
	}

	/** What a container is labelled with; nothing where its run has no time-out. */
	static toLabel(timeout: JsonValue | undefined, now = Date.now()): Record<string, string> {
		if (typeof timeout !== "number" || !(timeout > 0)) return {};
		return { [untilLabel]: String(Math.ceil(now / 1_000 + timeout + margin)) };
	}

	start(): void {
		this.#plan(first);
	}

	async stop(): Promise<void> {
		clearTimeout(this.#timer);
		await this.#sweeping;
		clearTimeout(this.#timer);
	}

	/** @returns ids of what was removed */
	async sweep(now = Date.now()): Promise<readonly string[]> {
		const { engine, installation } = this.#parts;
		const removed: string[] = [];
		for (const container of await engine.list(`svc.installation=${installation}`)) {
			if (!isForgotten(container, now)) continue;
			await engine.remove(container.id);
			removed.push(container.id);
		}
		return removed;
	}

	#plan(milliseconds: number): void {
		this.#timer = setTimeout(() => {
			this.#sweeping = this.#sweepAndTell().finally(() => this.#plan(every));
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

function isForgotten({ labels }: ListedContainer, now: number): boolean {
	const until = Number(labels[untilLabel] ?? Number.NaN);
	return until < now / 1_000;
}
