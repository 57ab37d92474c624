import { isSvcError } from "../../contract/index.ts";

/**
 * Returns true if an error of the storage proves that the write was not stored. Any other error, such as `SVC_UNAVAILABLE`, may mean that
 * only the response was lost.
 */
export function isRefusal(error: unknown): boolean {
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE";
}

/**
 * Fences of claims whose response was lost. If such a claim was stored, its records belong to this node. No node would process them until
 * their lease expires, so this node must look them up by their fence.
 */
export class InDoubtClaims {
	readonly #fences = new Set<string>();

	/** Adds the fence of a claim that may or may not be stored. */
	add(fence: string): void {
		this.#fences.add(fence);
	}

	/**
	 * Calls `claim`, which claims records with the fence, and adds the fence if the response is lost. Rejects with the error of `claim`.
	 */
	async track<T>(fence: string, claim: () => Promise<T>): Promise<T> {
		try {
			return await claim();
		} catch (error) {
			if (!isRefusal(error)) this.add(fence);
			throw error;
		}
	}

	/** Returns the records that `find` reads for the fences. Each fence is passed to one successful call only. */
	async resolve<E>(find: (fences: readonly string[]) => Promise<E[]>): Promise<readonly E[]> {
		if (this.#fences.size === 0) return [];
		const fences = [...this.#fences];
		// Clear first, so that a concurrent call does not return the same records, which would then be processed twice.
		this.#fences.clear();
		try {
			return await find(fences);
		} catch (error) {
			for (const fence of fences) this.add(fence);
			throw error;
		}
	}
}
