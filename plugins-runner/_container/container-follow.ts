import { setTimeout as delay } from "node:timers/promises";
import { OutputRefused, recordOutput } from "./output-pass.ts";
import type { OwnContainer } from "./own-container.ts";

/** How a container that has begun has ended. `left`: it goes on without us. `gone`: somebody has removed it. `unstarted`: it has not begun after all. */
export type FollowedEnd =
	| { readonly exitCode: number; readonly outOfMemory: boolean; readonly error: string }
	| "left"
	| "gone"
	| "unstarted";

/** Milliseconds: between looks at a container that is waited for, after a stream that has ended too early, for the last lines of a live stream. */
const lookEvery = 10_000;
const shortPause = 200;
const lastLines = 1_000;

/** A container that has begun, to its end: what it prints is recorded, and it is ended where its run is. */
export class ContainerFollow {
	readonly #container: OwnContainer;
	readonly #grace: number;

	/** @param grace seconds between TERM and KILL */
	constructor(container: OwnContainer, grace: number) {
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
			// Without its last words nobody can say that it has done well.
			if (typeof end !== "string" && !(await this.#readRest())) return left.aborted ? "left" : "gone";
			return left.aborted ? "left" : end;
		} finally {
			live.abort();
			await reading;
		}
	}

	/** While it runs: whatever is lost of a stream is read by the next one. */
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
				// Whether it can be reached is the other loop's to say.
			}
			await delay(shortPause, undefined, { signal }).catch(() => {});
		}
	}

	/**
	 * After its end, once more from the beginning: engines do not send the last lines for certain to those who follow. False where it is gone by
	 * then.
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

	/** Undefined: it is time to look how things are. */
	async #waitAWhile(until: AbortSignal): Promise<{ readonly exitCode: number | undefined } | undefined> {
		const { engine, name } = this.#container;
		const signal = AbortSignal.any([until, AbortSignal.timeout(lookEvery)]);
		return engine.wait(name, signal).catch(() => undefined);
	}

	/** TERM, and KILL after the grace. */
	async #end(): Promise<void> {
		const { engine, name, logger, context, left } = this.#container;
		const end = async () => {
			await engine.end(name, this.#grace);
			return true;
		};
		await this.#container
			.reach(left, end)
			.catch((error: unknown) => logger.warn("container could not be ended", { execution_id: context.execution_id, error }));
	}
}

const toCause = (error: unknown) => (error instanceof OutputRefused ? error.cause : error);
