/** Milliseconds that the runtime needs to compile one of them, at the worst that has been measured. */
const costs = { property: 0.3, count: 1.5, optional: 0.1, repetition: 0.03, alternative: 0.03, character: 0.002 };

/**
 * Milliseconds that the runtime may need at the most to compile a pattern, roughly. Nothing can end that once it has begun, and it is not
 * done when the pattern is read but in the middle of the first searches, for each kind of texts again.
 */
export function toCompileCost(pattern: string): number {
	const properties = pattern.match(/\\p\{/gi)?.length ?? 0;
	const bare = pattern.replace(/\\[^]/g, "x").replace(/\[[^\]]*\]|\(\?/g, "x");
	let cost = properties * costs.property + pattern.length * costs.character;
	for (const [mark] of bare.matchAll(/[{?*+|]/g)) {
		if (mark === "{") cost += costs.count;
		else if (mark === "?") cost += costs.optional;
		else cost += mark === "|" ? costs.alternative : costs.repetition;
	}
	return cost;
}
