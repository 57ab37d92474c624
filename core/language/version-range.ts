import semver from "semver";

const longest = 256;

/** Whether a version lies in a range such as `>=3.0.0, <4.0.0`. What is not understood is no reason to refuse. */
export function isInRange(version: string, range: string): boolean {
	const understood = toRange(range);
	return understood === undefined || semver.satisfies(version, understood, { includePrerelease: true });
}

/** Whether a text says which versions are meant: `1.2.3`, `1.2.x`, `>=1.2, <2`. The name of a branch or a commit does not. */
export function isVersionRange(text: string): boolean {
	return toRange(text) !== undefined;
}

/** Below zero where `a` is the older one. What is no version is older than every version. */
export function compareVersions(a: string, b: string): number {
	const [left, right] = [toVersion(a), toVersion(b)];
	if (left === null || right === null) return Number(left !== null) - Number(right !== null);
	return semver.compareBuild(left, right);
}

/** Parts that are written with commas must all be true. */
function toRange(text: string): string | undefined {
	if (text.length > longest || text.trim() === "" || !/\d|\*/.test(text)) return undefined;
	const conditions = text.split(",").map((condition) => condition.trim().replace(/^==\s*/, "="));
	// There is no `!=` in ranges; two of them say the same.
	const parts = conditions.map((condition) => condition.replace(/^!=\s*v?(\d.*)$/, "<$1 || >$1"));
	return combine(parts) ?? undefined;
}

/** Alternatives and conditions at once are not understood where they stand together: each condition is put into each alternative. */
function combine(parts: readonly string[]): string | null {
	let alternatives = [""];
	for (const part of parts) {
		const choices = part.split("||").map((choice) => choice.trim());
		alternatives = alternatives.flatMap((known) => choices.map((choice) => `${known} ${choice}`.trim()));
		if (alternatives.length > 64) return null;
	}
	return semver.validRange(alternatives.join(" || "), { includePrerelease: true });
}

function toVersion(text: string): semver.SemVer | null {
	return text.length > longest ? null : semver.parse(text, { loose: true });
}
