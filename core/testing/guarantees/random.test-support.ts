/** A random whole number below `limit`. */
export type Random = (limit: number) => number;

/** The same sequence for the same seed, so that a failure can be seen again. */
export function createRandom(seed: number): Random {
	let state = Math.imul(seed, 2_654_435_761) + 1;
	return (limit) => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) >>> 0;
		return (state >>> 8) % limit;
	};
}

/** One of them; there must be one. */
export function pick<T>(random: Random, items: readonly T[]): T {
	return items[random(items.length)] as T;
}
