import { toLanes } from "./lanes.ts";

/** Counts who wants which lane. */
export class WantedLanes {
	readonly #lanes: number;
	readonly #subscribers = new Map<number, number>();

	/** @param lanes how many there are */
	constructor(lanes: number) {
		this.#lanes = lanes;
	}

	/** All that are wanted now. */
	all(): ReadonlySet<number> {
		return new Set(this.#subscribers.keys());
	}

	/** Returns those that nobody wanted before. */
	add(names: readonly string[]): number[] {
		const added: number[] = [];
		for (const lane of toLanes(names, this.#lanes)) {
			const count = this.#subscribers.get(lane) ?? 0;
			if (count === 0) added.push(lane);
			this.#subscribers.set(lane, count + 1);
		}
		return added;
	}

	/** Returns whether there are any that nobody wants any more. */
	remove(names: readonly string[]): boolean {
		let isFewer = false;
		for (const lane of toLanes(names, this.#lanes)) {
			const count = this.#subscribers.get(lane) ?? 0;
			if (count > 1) this.#subscribers.set(lane, count - 1);
			else isFewer = this.#subscribers.delete(lane) || isFewer;
		}
		return isFewer;
	}
}
