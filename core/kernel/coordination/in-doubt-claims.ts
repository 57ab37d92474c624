import { isSvcError } from "../../contract/index.ts";

/** Whether something was certainly not stored. While a storage is away only its answer may have been lost. */
export function isRefusal(error: unknown): boolean {
	return isSvcError(error) && error.code !== "SVC_UNAVAILABLE";
}

/**
 * Fences of claims whose answer was lost. They may have happened: what they have claimed is this node's then, and nobody would work at it
 * until its lease has run out.
 */
export class UnsureClaims {
	readonly #fences = new Set<string>();

	add(fence: string): void {
		this.#fences.add(fence);
	}

	/** Claim something under a fence. */
	async during<T>(fence: string, claim: () => Promise<T>): Promise<T> {
		try {
			return await claim();
		} catch (error) {
			if (!isRefusal(error)) this.add(fence);
			throw error;
		}
	}

	/** What the claims have claimed, as `find` reads it; each is told once. */
	async settle<E>(find: (fences: readonly string[]) => Promise<E[]>): Promise<readonly E[]> {
		if (this.#fences.size === 0) return [];
		const fences = [...this.#fences];
		// Whoever settles at the same time must not be told of the same.
		this.#fences.clear();
		try {
			return await find(fences);
		} catch (error) {
			for (const fence of fences) this.add(fence);
			throw error;
		}
	}
}
