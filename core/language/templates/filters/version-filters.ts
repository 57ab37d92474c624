import { isInRange, isVersionRange } from "../../version-range.ts";
import type { Arguments } from "../arguments.ts";
import type { Value } from "../values.ts";
import type { Filter } from "./filter.ts";
import { bumpVersion, compareVersions, parseVersion, toVersionText, type Version } from "./version.ts";

function versionOf(value: Value, given: Arguments): Version {
	const version = typeof value === "string" && value.length <= 256 ? parseVersion(value) : undefined;
	if (version === undefined) throw given.error("needs a semantic version such as 1.2.3");
	return version;
}

const comparison =
	(decide: (order: number) => Value): Filter =>
	(input, given) =>
		decide(compareVersions(versionOf(input, given), versionOf(given.text(0, "pattern"), given)));

const bump =
	(part: "major" | "minor" | "patch"): Filter =>
	(input, given) =>
		bumpVersion(versionOf(input, given), part);

const relations: Readonly<Record<string, (order: number) => boolean>> = {
	">": (order) => order > 0,
	"<": (order) => order < 0,
	"==": (order) => order === 0,
	"!=": (order) => order !== 0,
	">=": (order) => order >= 0,
	"<=": (order) => order <= 0,
};

/** Filters on semantic versions. */
export const versionFilters: Readonly<Record<string, Filter>> = {
	version_compare: comparison((order) => Math.sign(order)),
	version_more_than: comparison((order) => order > 0),
	version_less_than: comparison((order) => order < 0),
	version_equal: comparison((order) => order === 0),
	version_match: (input, given) => {
		const pattern = given.text(0, "pattern").slice(0, 300);
		const version = versionOf(input, given);
		// A single comparison is made here, as its numbers may be larger than those of ranges.
		const match = /^\s*(>=|<=|==|!=|>|<)\s*([^\s,|]+)\s*$/.exec(pattern);
		const other = match?.[2] === undefined ? undefined : parseVersion(match[2]);
		const relation = relations[match?.[1] ?? ""];
		if (other !== undefined && relation !== undefined) return relation(compareVersions(version, other));
		if (!isVersionRange(pattern)) throw given.error("needs an operator (>, <, ==, !=, >=, <=) and a version, or a range such as >=1.2, <2");
		return isInRange(toVersionText(version), pattern);
	},
	version_bump_major: bump("major"),
	version_bump_minor: bump("minor"),
	version_bump_patch: bump("patch"),
	version_strip_patch: (input, given) => versionOf(input, given).numbers.slice(0, 2).join("."),
};
