/** A semantic version; numbers may be larger than any safe integer. */
export interface Version {
	readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
	/** Behind the hyphen, split at the dots. */
	readonly prerelease: readonly string[];
}

/** A leading `v`, as in tags, and missing numbers, which count as 0, are accepted. */
const form = /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+[\dA-Za-z.-]+)?$/;

export function parseVersion(text: string): Version | undefined {
	const match = form.exec(text);
	if (match === null) return undefined;
	const [major, minor, patch] = match.slice(1, 4).map((number) => BigInt(number ?? 0)) as [bigint, bigint, bigint];
	return { numbers: [major, minor, patch], prerelease: match[4]?.split(".") ?? [] };
}

/** Returns the version as text with three numbers: `1.10.0` for `v1.10`. */
export function toVersionText({ numbers, prerelease }: Version): string {
	return numbers.join(".") + (prerelease.length === 0 ? "" : `-${prerelease.join(".")}`);
}

/** Negative, zero or positive, by the precedence of semantic versions; build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
	for (const index of [0, 1, 2] as const) {
		if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
	}
	// A version without pre-release comes after all that have one.
	if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
	for (const [index, part] of a.prerelease.entries()) {
		const other = b.prerelease[index];
		const order = other === undefined ? 1 : compareParts(part, other);
		if (order !== 0) return order;
	}
	return a.prerelease.length - b.prerelease.length;
}

/** Numbers by value and before texts. */
function compareParts(a: string, b: string): number {
	const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
	if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
	const [x, y] = isNumber ? [BigInt(a), BigInt(b)] : [a, b];
	return x < y ? -1 : Number(x > y);
}

/** The next version of that part; the lower parts begin anew. */
export function bumpVersion({ numbers: [major, minor, patch] }: Version, part: "major" | "minor" | "patch"): string {
	if (part === "major") return `${major + 1n}.0.0`;
	return part === "minor" ? `${major}.${minor + 1n}.0` : `${major}.${minor}.${patch + 1n}`;
}
