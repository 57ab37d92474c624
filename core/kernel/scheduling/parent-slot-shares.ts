import type { Claimer, ClaimSelection } from "../coordination/claimer.ts";

/** Information of a claim source about the parents of the executions that wait in it. */
export interface SoleWaitingParent {
	/**
	 * Id of the only parent whose children wait. It saves a query for other executions with each claim. Undefined: other executions may wait.
	 */
	only: string | undefined;
}

/**
 * Counts the slots of this node that the children of each parent execution hold. While other executions wait, the children of one parent
 * get at most half of the slots, rounded up. Otherwise all other executions would wait until a workflow with many items has ended.
 */
export class ParentSlotShares {
	/** Maximum number of slots for the children of one parent. */
	readonly #share: number;
	/**
	 * A parent counts as full this many slots below its share. Otherwise a parent that stays just below its share would make every claim
	 * small.
	 */
	readonly #margin: number;
	/** Number of slots that children hold, by the id of their parent. */
	readonly #slotsByParent = new Map<string, number>();

	constructor(poolSize: number) {
		this.#share = Math.ceil(poolSize / 2);
		this.#margin = Math.ceil(this.#share / 4);
	}

	/** Runs a child, and counts its slot until the run has ended. */
	async during(parentId: string, run: () => Promise<void>): Promise<void> {
		this.#slotsByParent.set(parentId, (this.#slotsByParent.get(parentId) ?? 0) + 1);
		try {
			await run();
		} finally {
			const remaining = (this.#slotsByParent.get(parentId) ?? 1) - 1;
			if (remaining === 0) this.#slotsByParent.delete(parentId);
			else this.#slotsByParent.set(parentId, remaining);
		}
	}

	/**
	 * Id of the parent whose children hold nearly all slots of its share, or more; undefined if there is none. Of several such parents, the
	 * one with the most slots.
	 */
	get fullParent(): string | undefined {
		let full: string | undefined;
		let maxSlots = this.#share - this.#margin;
		for (const [parentId, slots] of this.#slotsByParent) {
			if (slots <= maxSlots) continue;
			maxSlots = slots;
			full = parentId;
		}
		return full;
	}

	/**
	 * Claims one batch. Children of a parent that nearly holds its share of the slots are claimed only if no other execution matches. Returns
	 * true if more executions may match.
	 */
	async claimBatch(
		claiming: Pick<Claimer<"execution">, "claimBatch">,
		claim: ClaimSelection<"execution">,
		parents: SoleWaitingParent = { only: undefined },
	): Promise<boolean> {
		const { fullParent } = this;
		const limit = this.limitBeside(fullParent);
		if (fullParent === undefined) return claiming.claimBatch({ ...claim, limit });
		if (parents.only !== fullParent) {
			// Set this before the query, so that an execution which arrives during the query can reset it.
			parents.only = fullParent;
			const others = { where: { ...claim.where, parent_id: { not: fullParent } }, orderBy: claim.orderBy, limit };
			if (await claiming.claimBatch(others)) {
				parents.only = undefined;
				return true;
			}
		}
		return claiming.claimBatch(claim);
	}

	/** Returns the maximum size of a claim. A larger claim could make a parent other than the full one exceed its share. */
	limitBeside(full: string | undefined): number {
		let maxSlots = 0;
		for (const [parentId, slots] of this.#slotsByParent) if (parentId !== full && slots < this.#share && slots > maxSlots) maxSlots = slots;
		return this.#share - maxSlots;
	}
}
