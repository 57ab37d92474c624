import { LoopLoad } from "../../../lib/event-loop.ts";

/** Followers that are given a chunk in one turn of the event loop. */
export const together = 32;
/** The same where they stand back. */
export const behindOthers = 8;
/** Milliseconds between their turns then, at most: about a tenth of the time is theirs, and more where nobody else needs it. */
const longestPause = 8;

export interface FollowerTurnParts {
	/** Whether something goes on that many followers are not to hold up. */
	readonly standBack: () => boolean;
	/** For tests. */
	readonly later?: (go: () => void, milliseconds: number) => void;
}

/**
 * Lets few followers at a time have what is new. To hand it to hundreds in one turn of the event loop would hold up the run that
 * prints it, and everybody else. Turn after turn of them would as well: the system takes megabytes for a client before it tells that
 * nobody reads them, so while a run prints much, many followers are given but a share of the time, and the rest when it has ended.
 */
export class FollowerTurns {
	readonly #parts: FollowerTurnParts;
	#waiting: (() => void)[] = [];
	// Index of the first: shifting a long array for each follower would be slow.
	#head = 0;
	#left = together;
	#isPlanned = false;
	#pause = longestPause;
	/** Undefined before the first of several turns between which there are pauses. */
	#load: LoopLoad | undefined;

	constructor(parts: FollowerTurnParts) {
		this.#parts = parts;
	}

	/** Call `go`: now, or in a later turn, in the order in which they ask. */
	take(go: () => void): void {
		this.#plan(0);
		if (this.#left === 0) {
			this.#waiting.push(go);
			return;
		}
		this.#left -= 1;
		go();
	}

	#plan(pause: number): void {
		if (this.#isPlanned) return;
		this.#isPlanned = true;
		const { later = setTimeout } = this.#parts;
		if (pause < 1) setImmediate(() => this.#begin());
		else later(() => this.#begin(), pause);
	}

	#begin(): void {
		this.#isPlanned = false;
		const isCrowd = this.#waiting.length - this.#head > together;
		const standsBack = isCrowd && this.#parts.standBack();
		if (!standsBack) this.#load = undefined;
		const most = standsBack ? behindOthers : together;
		const next = this.#waiting.slice(this.#head, this.#head + most);
		this.#head += next.length;
		this.#left = most - next.length;
		if (next.length > 0) this.#plan(standsBack ? this.#measurePause() : 0);
		if (this.#head === this.#waiting.length || this.#head > 1_024) {
			this.#waiting = this.#waiting.slice(this.#head);
			this.#head = 0;
		}
		for (const go of next) go();
	}

	/** The shorter, the less the event loop had to do since the last turn. */
	#measurePause(): number {
		if (this.#load === undefined) {
			this.#load = new LoopLoad();
			this.#pause = longestPause;
		} else if (this.#load.wasLittle()) this.#pause /= 2;
		else this.#pause = Math.min(longestPause, Math.max(1, this.#pause * 2));
		return this.#pause;
	}
}
