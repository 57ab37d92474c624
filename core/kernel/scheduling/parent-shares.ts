/**
 * Counts the slots of this node that the children of each execution hold. While others wait, one parent gets at most half of the slots, rounded up: a
 * workflow with many items must not have everything else wait for all of them.
 */
export class ParentShares {
	readonly #share: number;
	/** Slots below the share from which on a parent counts as full: one that stays just below its share must not make every claim a small one. */
	readonly #margin: number;
	readonly #held = new Map<string, number>();

	constructor(poolSize: number) {
		this.#share = Math.ceil(poolSize / 2);
		this.#margin = Math.ceil(this.#share / 4);
	}

	/** Counts a child while it runs. */
	async during(parentId: string, run: () => Promise<void>): Promise<void> {
		this.#held.set(parentId, (this.#held.get(parentId) ?? 0) + 1);
		try {
			await run();
		} finally {
			const left = (this.#held.get(parentId) ?? 1) - 1;
			if (left === 0) this.#held.delete(parentId);
			else this.#held.set(parentId, left);
		}
	}

	/** The parent whose children hold nearly their share, or more. If there are several, the one with the most. */
	get full(): string | undefined {
		let full: string | undefined;
		let most = this.#share - this.#margin;
		for (const [parentId, held] of this.#held) {
			if (held <= most) continue;
			most = held;
			full = parentId;
		}
		return full;
	}

	/** Most executions that one claim may take without a parent, other than the full one, passing its share. */
	limitBeside(full: string | undefined): number {
		let most = 0;
		for (const [parentId, held] of this.#held) if (parentId !== full && held < this.#share && held > most) most = held;
		return this.#share - most;
	}
}
