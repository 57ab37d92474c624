/** Value of a stored field; `json` fields are stored as strings. */
export type Scalar = string | number | boolean | null;

/** Compares field values: null first, strings by code point, false before true. */
export function compareScalars(left: Scalar, right: Scalar): number {
	if (left === right) return 0;
	if (left === null) return -1;
	if (right === null) return 1;
	if (typeof left === "string" && typeof right === "string") return compareText(left, right);
	return Number(left) - Number(right);
}

function compareText(left: string, right: string): number {
	const length = Math.min(left.length, right.length);
	for (let index = 0; index < length; index++) {
		const difference = toRank(left.charCodeAt(index)) - toRank(right.charCodeAt(index));
		if (difference !== 0) return difference;
	}
	return left.length - right.length;
}

/**
 * Returns a rank that orders UTF-16 code units by code point. Surrogates are below U+E000 to U+FFFF, although the code points that they
 * encode are above.
 */
function toRank(unit: number): number {
	if (unit >= 0xe000) return unit - 0x800;
	return unit >= 0xd800 ? unit + 0x2000 : unit;
}
