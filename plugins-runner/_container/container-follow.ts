import { setTimeout as delay } from "node:timers/promises";
import { OutputRefused, recordOutput } from "./record-output.ts";
import type { RunContainer } from "./run-container.ts";

/**
 * Outcome of a started container. `left`: it continues while the service stops. `gone`: it was removed from outside. `unstarted`: the
 * container has not started, and its run was aborted.
 */
export type FollowedEnd =
	| { readonly exitCode: number; readonly outOfMemory: boolean; readonly error: string }
	| "left"
	| "gone"
	| "unstarted";

/** Milliseconds between two polls of the container's state, before a retry, and to wait for the last lines of the live stream. */
const lookEvery = 10_000;
const shortPause = 200;
const lastLines = 1_000;

/** Follows a started container to its end: records its output, and stops the container if its run is aborted. */
export class ContainerFollow {
	readonly #container: RunContainer;
	readonly #grace: number;

	/** @param grace seconds between TERM and KILL */
	constructor(container: RunContainer, grace: number) {
		this.#container = container;
		this.#grace = grace;
	}

	async follow(): Promise<FollowedEnd> {
		const { left } = this.#container;
		const live = new AbortController();
		const refused = new AbortController();
		const reading = this.#readLive(AbortSignal.any([live.signal, left])).catch((error: unknown) => refused.abort(error));
		try {
			const end = await this.#untilEnded(refused.signal);
			if (end !== "left" && !refused.signal.aborted) await Promise.race([reading, delay(lastLines, undefined, { ref: false })]);
			live.abort();
			await reading;
			if (refused.signal.aborted) throw toCause(refused.signal.reason);
			// Without the last output, success cannot be confirmed: report the container as removed.
			if (typeof end !== "string" && !(await this.#readRest())) return left.aborted ? "left" : "gone";
			return left.aborted ? "left" : end;
		} finally {
			live.abort();
			await reading;
		}
	}

	/** Reads the live output while the container runs. The next stream reads any output that is missing from an interrupted one. */
	async #readLive(signal: AbortSignal): Promise<void> {
		const { engine, name, context } = this.#container;
		while (!signal.aborted) {
			try {
				const response = await engine.logs(name, true, signal);
				if (response === undefined) return;
				await recordOutput(response, context, false);
				if ((await engine.look(name, signal))?.phase === "ended") return;
			} catch (error) {
				if (error instanceof OutputRefused) throw error;
				// The loop that polls the state reports an unreachable engine.
			}
			await delay(shortPause, undefined, { signal }).catch(() => {});
		}
	}

	/**
	 * Reads the output again from its beginning after the end of the container: engines may omit the last lines from a live stream. Returns
	 * false if the container no longer exists.
	 */
	async #readRest(): Promise<boolean> {
		const { engine, name, context, left } = this.#container;
		const read = async () => {
			const response = await engine.logs(name, false, left);
			if (response !== undefined) await recordOutput(response, context, true);
			return response !== undefined;
		};
		const isRead = await this.#container.reach(left, read).catch((error: unknown) => {
			throw toCause(error);
		});
		return isRead === true;
	}

	async #untilEnded(refused: AbortSignal): Promise<FollowedEnd> {
		const { context, left } = this.#container;
		let ending: Promise<unknown> | undefined;
		while (!left.aborted && !refused.aborted) {
			if (context.signal.aborted) ending ??= this.#end();
			const signals = ending === undefined ? [refused, context.signal] : [refused, left];
			const waited = await this.#waitAWhile(AbortSignal.any(signals));
			const answer = await this.#container.lookLong(AbortSignal.any([refused, left]));
			if (answer === undefined) continue;
			const { found } = answer;
			if (found === undefined) return "gone";
			if (found.phase === "ended" && waited !== undefined)
				return { exitCode: waited.exitCode ?? found.exitCode, outOfMemory: found.outOfMemory, error: found.error };
			if (found.phase === "created" && context.signal.aborted) return "unstarted";
			if (waited !== undefined) await delay(shortPause);
		}
		return "left";
	}

	/** Waits for the end of the container. Returns undefined if its state must be polled first. */
	async #waitAWhile(until: AbortSignal): Promise<{ readonly exitCode: number | undefined } | undefined> {
		const { engine, name } = this.#container;
		const signal = AbortSignal.any([until, AbortSignal.timeout(lookEvery)]);
		return engine.wait(name, signal).catch(() => undefined);
	}

	/** Sends TERM to the container, and KILL after the grace period. */
	async #end(): Promise<void> {
		const { engine, name, logger, context, left } = this.#container;
		const end = async () => {
			await engine.end(name, this.#grace);
			return true;
		};
		await this.#container
			.reach(left, end)
			.catch((error: unknown) => logger.warn("container could not be stopped", { execution_id: context.execution_id, error }));
	}
}

const toCause = (error: unknown) => (error instanceof OutputRefused ? error.cause : error);
