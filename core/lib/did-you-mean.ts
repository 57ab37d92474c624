/** Returns a suggestion such as `; did you mean "required"?` if `name` resembles one of `allowed`, otherwise an empty string. */
export function didYouMean(name: string, allowed: Iterable<string>): string {
	let best: string | undefined;
	let bestDistance = 3;
	for (const candidate of allowed) {
		const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
		// Almost every name is within two edits of a short candidate. So at most half of the candidate's characters may differ.
		if (distance < bestDistance && distance * 2 <= candidate.length) [best, bestDistance] = [candidate, distance];
	}
	return best === undefined ? "" : `; did you mean "${best}"?`;
}

/**
 * Returns the number of insertions, deletions, replacements and swaps of adjacent characters that convert one string to the other.
 *
 * Returns infinity if the lengths differ by more than 2.
 */
function editDistance(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
	let rowBeforePrevious: number[] = [];
	let previousRow = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let row = 1; row <= a.length; row++) {
		const currentRow = [row];
		for (let column = 1; column <= b.length; column++) {
			const isSame = a[row - 1] === b[column - 1];
			let cost = Math.min(
				(previousRow[column] ?? 0) + 1,
				(currentRow[column - 1] ?? 0) + 1,
				(previousRow[column - 1] ?? 0) + (isSame ? 0 : 1),
			);
			if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
				cost = Math.min(cost, (rowBeforePrevious[column - 2] ?? 0) + 1);
			currentRow.push(cost);
		}
		[rowBeforePrevious, previousRow] = [previousRow, currentRow];
	}
	return previousRow[b.length] ?? 0;
}
