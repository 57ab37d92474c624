import { createHash } from "node:crypto";
import { isInRange, isVersionRange } from "../../version-range.ts";
import type { Arguments } from "../arguments.ts";
import { toPythonText } from "../python-text.ts";
import { elementsOf, isTrue, requireDefined, Undefined, type Value } from "../values.ts";
import { attributeGetter, type Filter, type FilterContext } from "./filter.ts";
import { jsonFilters } from "./json-filters.ts";
import { layoutFilters } from "./layout-filters.ts";
import { listFilters } from "./list-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { patternFilters } from "./pattern-filters.ts";
import { textFilters } from "./text-filters.ts";
import { valueFilters } from "./value-filters.ts";
import { yamlFilters } from "./yaml-filters.ts";

/**
 * Returns a filter for the digest of its input as a string. The string is hashed in UTF-8; the digest has lower-case hexadecimal digits.
 */
const digest =
	(algorithm: "md5" | "sha1" | "sha256" | "sha512"): Filter =>
	(input, _args, { budget }) => {
		const text = toPythonText(input, budget);
		budget.spendText(text.length);
		return createHash(algorithm).update(text).digest("hex");
	};

/** Encodings and digests of strings. */
const digestFilters: Readonly<Record<string, Filter>> = {
	b64encode: (input, _args, { budget }) => {
		const text = toPythonText(input, budget);
		budget.spendText(2 * text.length);
		return Buffer.from(text).toString("base64");
	},
	b64decode: (input, args, { budget }) => {
		if (typeof input !== "string") throw args.error("needs a Base64 string");
		budget.spendText(input.length);
		// White space is removed first: a pattern that allows white space at several positions takes quadratic time.
		if (!/^[\w+/-]*={0,2}$/.test(input.replace(/\s+/g, ""))) throw args.error("needs a Base64 string");
		try {
			return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(input, "base64"));
		} catch {
			throw args.error("needs a Base64 string that encodes UTF-8");
		}
	},
	md5: digest("md5"),
	sha1: digest("sha1"),
	sha256: digest("sha256"),
	sha512: digest("sha512"),
};

/** Filters that apply another filter or test to every element. */
const selectFilters: Readonly<Record<string, Filter>> = {
	map: (input, args, context) => {
		const attribute = args.named.get("attribute");
		const elements = elementsOf(input, context.budget);
		if (attribute !== undefined) return elements.map(mapAttribute(attributeGetter(attribute, context), args.named.get("default")));
		const name = args.text(0, "filter");
		return elements.map((element) => requireDefined(context.applyFilter(name, element, args.after(1, `filter "${name}"`))));
	},
	select: (input, args, context) => filterElements(input, context, toTest(args, 0, context)),
	reject: (input, args, context) => filterElements(input, context, negate(toTest(args, 0, context))),
	selectattr: (input, args, context) => filterElements(input, context, toAttributeTest(args, context)),
	rejectattr: (input, args, context) => filterElements(input, context, negate(toAttributeTest(args, context))),
};

function mapAttribute(get: (element: Value) => Value, fallback: Value | undefined): (element: Value) => Value {
	return (element) => {
		const value = get(element);
		return value instanceof Undefined && fallback !== undefined ? fallback : requireDefined(value);
	};
}

type ElementTest = (element: Value) => boolean;

function filterElements(input: Value, { budget }: FilterContext, test: ElementTest): Value {
	return elementsOf(input, budget).filter((element) => test(element));
}

function negate(test: ElementTest): ElementTest {
	return (element) => !test(element);
}

/**
 * Returns the test that is named by the argument at `index`, with the arguments after it. Without a name, the test is the truth of the
 * value.
 */
function toTest(args: Arguments, index: number, context: FilterContext): ElementTest {
	if (args.positional.length <= index) return isTrue;
	const name = args.text(index, "test");
	const rest = args.after(index + 1, `test "${name}"`);
	return (value) => context.applyTest(name, value, rest);
}

function toAttributeTest(args: Arguments, context: FilterContext): ElementTest {
	const get = attributeGetter(args.required(0, "attribute"), context);
	const test = toTest(args, 1, context);
	return (element) => test(get(element));
}

function versionOf(value: Value, args: Arguments): Version {
	const version = typeof value === "string" && value.length <= 256 ? parseVersion(value) : undefined;
	if (version === undefined) throw args.error("needs a semantic version such as 1.2.3");
	return version;
}

const versionComparison =
	(decide: (order: number) => Value): Filter =>
	(input, args) =>
		decide(compareVersions(versionOf(input, args), versionOf(args.text(0, "pattern"), args)));

const versionBump =
	(part: "major" | "minor" | "patch"): Filter =>
	(input, args) =>
		bumpVersion(versionOf(input, args), part);

const versionRelations: Readonly<Record<string, (order: number) => boolean>> = {
	">": (order) => order > 0,
	"<": (order) => order < 0,
	"==": (order) => order === 0,
	"!=": (order) => order !== 0,
	">=": (order) => order >= 0,
	"<=": (order) => order <= 0,
};

/** Filters on semantic versions. */
export const versionFilters: Readonly<Record<string, Filter>> = {
	version_compare: versionComparison((order) => Math.sign(order)),
	version_more_than: versionComparison((order) => order > 0),
	version_less_than: versionComparison((order) => order < 0),
	version_equal: versionComparison((order) => order === 0),
	version_match: (input, args) => {
		const pattern = args.text(0, "pattern").slice(0, 300);
		const version = versionOf(input, args);
		// A single comparison is evaluated here, because the numbers of a range must be safe integers.
		const match = /^\s*(>=|<=|==|!=|>|<)\s*([^\s,|]+)\s*$/.exec(pattern);
		const otherVersion = match?.[2] === undefined ? undefined : parseVersion(match[2]);
		const relation = versionRelations[match?.[1] ?? ""];
		if (otherVersion !== undefined && relation !== undefined) return relation(compareVersions(version, otherVersion));
		if (!isVersionRange(pattern)) throw args.error("needs an operator (>, <, ==, !=, >=, <=) and a version, or a range such as >=1.2, <2");
		return isInRange(toVersionText(version), pattern);
	},
	version_bump_major: versionBump("major"),
	version_bump_minor: versionBump("minor"),
	version_bump_patch: versionBump("patch"),
	version_strip_patch: (input, args) => versionOf(input, args).numbers.slice(0, 2).join("."),
};

/**
 * Filters by name. A new filter is an entry of a group, or of a new group. The evaluator implements `default`, because its input may be
 * undefined.
 */
export const filterTable: ReadonlyMap<string, Filter> = new Map(
	Object.entries({
		...textFilters,
		...digestFilters,
		...layoutFilters,
		...numberFilters,
		...listFilters,
		...selectFilters,
		...jsonFilters,
		...yamlFilters,
		...patternFilters,
		...versionFilters,
		...valueFilters,
	}),
);

/** Returns true if templates have a filter of this name. */
export function hasFilter(name: string): boolean {
	return name === "default" || name === "d" || filterTable.has(name);
}

/** Semantic version. Its numbers may exceed the safe integers. */
interface Version {
	readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
	/** Characters after the hyphen, split at the dots. */
	readonly prerelease: readonly string[];
}

/** Pattern of a version. A leading `v`, as in tags, is allowed, and missing numbers count as 0. */
const versionPattern = /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+[\dA-Za-z.-]+)?$/;

function parseVersion(text: string): Version | undefined {
	const match = versionPattern.exec(text);
	if (match === null) return undefined;
	const [major, minor, patch] = match.slice(1, 4).map((number) => BigInt(number ?? 0)) as [bigint, bigint, bigint];
	return { numbers: [major, minor, patch], prerelease: match[4]?.split(".") ?? [] };
}

/** Returns the version as a string with three numbers: `1.10.0` for `v1.10`. */
function toVersionText({ numbers, prerelease }: Version): string {
	return numbers.join(".") + (prerelease.length === 0 ? "" : `-${prerelease.join(".")}`);
}

/** Returns a negative number, zero or a positive number by the precedence of semantic versions, which ignores build metadata. */
function compareVersions(a: Version, b: Version): number {
	for (const index of [0, 1, 2] as const) {
		if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
	}
	// A version without pre-release follows all its pre-releases.
	if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
	for (const [index, part] of a.prerelease.entries()) {
		const otherPart = b.prerelease[index];
		const order = otherPart === undefined ? 1 : compareParts(part, otherPart);
		if (order !== 0) return order;
	}
	return a.prerelease.length - b.prerelease.length;
}

/** Compares two parts of a pre-release: numbers by value, and before words. */
function compareParts(a: string, b: string): number {
	const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
	if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
	const [x, y] = isNumber ? [BigInt(a), BigInt(b)] : [a, b];
	return x < y ? -1 : Number(x > y);
}

/** Returns the next version of a part; the lower parts are reset to 0. */
function bumpVersion({ numbers: [major, minor, patch] }: Version, part: "major" | "minor" | "patch"): string {
	if (part === "major") return `${major + 1n}.0.0`;
	return part === "minor" ? `${major}.${minor + 1n}.0` : `${major}.${minor}.${patch + 1n}`;
}
