/** A hint such as `; did you mean "required"?` when `name` is almost one of `allowed`, else an empty text. */
export function nearMiss(name: string, allowed: Iterable<string>): string {
	let best: string | undefined;
	let bestDistance = 3;
	for (const candidate of allowed) {
		const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
		// A short name is near to everything; at most half of it may differ.
		if (distance < bestDistance && distance * 2 <= candidate.length) [best, bestDistance] = [candidate, distance];
	}
	return best === undefined ? "" : `; did you mean "${best}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. Names differing much in length are just far. */
function editDistance(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
	let before: number[] = [];
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const isSame = a[row - 1] === b[column - 1];
			let cost = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + (isSame ? 0 : 1));
			if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
				cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
			current.push(cost);
		}
		[before, previous] = [previous, current];
	}
	return previous[b.length] ?? 0;
}
