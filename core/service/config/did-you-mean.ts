/** Returns `did you mean "port"? ` if one of the names is close to the written one, otherwise an empty string. */
export function didYouMean(written: string, names: readonly string[]): string {
	const name = findClosest(written, names);
	return name === undefined ? "" : `did you mean "${name}"? `;
}

/** Returns the most similar name, or undefined if none is similar enough for a typing error. */
export function findClosest(written: string, names: readonly string[]): string | undefined {
	// Two edits are allowed, because a swap of two neighbouring letters counts as two.
	const most = written.length < 4 ? 1 : 2;
	let closest: string | undefined;
	let fewest = most + 1;
	for (const name of names) {
		const edits = Math.abs(name.length - written.length) > most ? most + 1 : countEdits(written.toLowerCase(), name.toLowerCase());
		if (edits < fewest) {
			closest = name;
			fewest = edits;
		}
	}
	return closest;
}

/** Returns the Levenshtein distance. Keeps one row of the table at a time. */
function countEdits(from: string, to: string): number {
	let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let row = 1; row <= from.length; row += 1) {
		const current = [row];
		for (let column = 1; column <= to.length; column += 1) {
			const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
			current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
		}
		previous = current;
	}
	return at(previous, to.length);
}

function at(numbers: readonly number[], index: number): number {
	return numbers[index] ?? Number.POSITIVE_INFINITY;
}
