import { EventLoopUtilization } from "../../../lib/event-loop.ts";

/** Maximum number of followers that get a chunk in one turn of the event loop. */
export const followersPerTurn = 32;
/** Maximum number of followers that get a chunk in one turn while the fan-out is paced. */
export const pacedFollowersPerTurn = 8;
/** Maximum milliseconds between turns of the paced fan-out. With this pause, followers get about a tenth of the time. */
const maxPauseMs = 8;

export interface FanOutPacingOptions {
	/** Returns true if a run prints bulk output, which many followers must not slow down. */
	readonly shouldPace: () => boolean;
	/** Starts a timer. Default `setTimeout`; tests replace it. */
	readonly setTimer?: (go: () => void, milliseconds: number) => void;
}

/**
 * Spreads the fan-out of new chunks over several turns of the event loop, for a few followers at a time. Serving hundreds of followers in
 * one turn would delay the run that prints the output, and all other work.
 *
 * Turns without pauses would delay the run as well: the operating system buffers megabytes for a client before back-pressure shows that the
 * client does not read. So while a run prints bulk output, many followers get only a share of the time, and the rest of the output after
 * its end.
 */
export class FanOutPacing {
	readonly #parts: FanOutPacingOptions;
	#queue: (() => void)[] = [];
	/** Index of the first queued entry. Shifting a long array for each follower would be slow. */
	#head = 0;
	/** Number of followers that may still be served in this turn. */
	#remainingInTurn = followersPerTurn;
	#isTurnScheduled = false;
	#pauseMs = maxPauseMs;
	/** Load of the event loop since the last turn; undefined while the fan-out is not paced. */
	#load: EventLoopUtilization | undefined;

	constructor(parts: FanOutPacingOptions) {
		this.#parts = parts;
	}

	/** Calls `serve` now, or in a later turn if this turn is full. Keeps the order of the calls. */
	schedule(serve: () => void): void {
		this.#scheduleTurn(0);
		if (this.#remainingInTurn === 0) {
			this.#queue.push(serve);
			return;
		}
		this.#remainingInTurn -= 1;
		serve();
	}

	#scheduleTurn(pauseMs: number): void {
		if (this.#isTurnScheduled) return;
		this.#isTurnScheduled = true;
		const { setTimer = setTimeout } = this.#parts;
		if (pauseMs < 1) setImmediate(() => this.#startTurn());
		else setTimer(() => this.#startTurn(), pauseMs);
	}

	#startTurn(): void {
		this.#isTurnScheduled = false;
		const areMany = this.#queue.length - this.#head > followersPerTurn;
		const isPaced = areMany && this.#parts.shouldPace();
		if (!isPaced) this.#load = undefined;
		const maxServed = isPaced ? pacedFollowersPerTurn : followersPerTurn;
		const next = this.#queue.slice(this.#head, this.#head + maxServed);
		this.#head += next.length;
		this.#remainingInTurn = maxServed - next.length;
		if (next.length > 0) this.#scheduleTurn(isPaced ? this.#adaptPause() : 0);
		if (this.#head === this.#queue.length || this.#head > 1_024) {
			this.#queue = this.#queue.slice(this.#head);
			this.#head = 0;
		}
		for (const serve of next) serve();
	}

	/**
	 * Halves the pause if the event loop had little to do since the last turn; otherwise doubles the pause. Returns the pause in milliseconds.
	 */
	#adaptPause(): number {
		if (this.#load === undefined) {
			this.#load = new EventLoopUtilization();
			this.#pauseMs = maxPauseMs;
		} else if (this.#load.wasLow()) this.#pauseMs /= 2;
		else this.#pauseMs = Math.min(maxPauseMs, Math.max(1, this.#pauseMs * 2));
		return this.#pauseMs;
	}
}
