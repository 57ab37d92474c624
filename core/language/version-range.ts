import semver from "semver";

const maxTextLength = 256;

/** Returns true if a version is within a range such as `>=3.0.0, <4.0.0`. Also returns true if the range cannot be parsed. */
export function isInRange(version: string, range: string): boolean {
	const parsedRange = toRange(range);
	return parsedRange === undefined || semver.satisfies(version, parsedRange, { includePrerelease: true });
}

/** Returns true if a string is a version range, such as `1.2.3`, `1.2.x` or `>=1.2, <2`. The name of a branch or a commit is not. */
export function isVersionRange(text: string): boolean {
	return toRange(text) !== undefined;
}

/** Returns a negative number if `a` is the older version. A string that is not a version is older than every version. */
export function compareVersions(a: string, b: string): number {
	const [left, right] = [toVersion(a), toVersion(b)];
	if (left === null || right === null) return Number(left !== null) - Number(right !== null);
	return semver.compareBuild(left, right);
}

/** Returns the range in the syntax of the `semver` package; undefined if it cannot be parsed. All parts between commas must hold. */
function toRange(text: string): string | undefined {
	if (text.length > maxTextLength || text.trim() === "" || !/\d|\*/.test(text)) return undefined;
	const conditions = text.split(",").map((condition) => condition.trim().replace(/^==\s*/, "="));
	// The `semver` package has no `!=`; two ranges express the same.
	const parts = conditions.map((condition) => condition.replace(/^!=\s*v?(\d.*)$/, "<$1 || >$1"));
	return combineConditions(parts) ?? undefined;
}

/**
 * Combines alternatives and conditions, which `semver` does not support in one range: each condition is added to each alternative. Returns
 * null if the result is not valid or has more than 64 alternatives.
 */
function combineConditions(parts: readonly string[]): string | null {
	let alternatives = [""];
	for (const part of parts) {
		const choices = part.split("||").map((choice) => choice.trim());
		alternatives = alternatives.flatMap((prefix) => choices.map((choice) => `${prefix} ${choice}`.trim()));
		if (alternatives.length > 64) return null;
	}
	return semver.validRange(alternatives.join(" || "), { includePrerelease: true });
}

function toVersion(text: string): semver.SemVer | null {
	return text.length > maxTextLength ? null : semver.parse(text, { loose: true });
}
