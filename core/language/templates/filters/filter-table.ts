import { createHash } from "node:crypto";
import { isInRange, isVersionRange } from "../../version-range.ts";
import type { Arguments } from "../arguments.ts";
import { toText } from "../python-text.ts";
import { demand, elementsOf, isTrue, Undefined, type Value } from "../values.ts";
import { attributeGetter } from "./attribute.ts";
import type { Filter, FilterContext } from "./filter.ts";
import { jsonFilters } from "./json-filters.ts";
import { layoutFilters } from "./layout-filters.ts";
import { listFilters } from "./list-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { patternFilters } from "./pattern-filters.ts";
import { textFilters } from "./text-filters.ts";
import { valueFilters } from "./value-filters.ts";
import { yamlFilters } from "./yaml-filters.ts";

/** A filter that returns a digest of the text form of its input, in UTF-8, as lower-case hexadecimal digits. */
const digest =
	(algorithm: "md5" | "sha1" | "sha256" | "sha512"): Filter =>
	(input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(text.length);
		return createHash(algorithm).update(text).digest("hex");
	};

/** Encodings and digests of texts. */
const digestFilters: Readonly<Record<string, Filter>> = {
	b64encode: (input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(2 * text.length);
		return Buffer.from(text).toString("base64");
	},
	b64decode: (input, given, { budget }) => {
		if (typeof input !== "string") throw given.error("needs a text in Base64");
		budget.text(input.length);
		// Without white space first: an expression that allows it in both places takes time that grows with the square of its length.
		if (!/^[\w+/-]*={0,2}$/.test(input.replace(/\s+/g, ""))) throw given.error("needs a text in Base64");
		try {
			return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(input, "base64"));
		} catch {
			throw given.error("needs a text in Base64 that holds UTF-8");
		}
	},
	md5: digest("md5"),
	sha1: digest("sha1"),
	sha256: digest("sha256"),
	sha512: digest("sha512"),
};

/** Filters that apply another filter or test to every element. */
const selectFilters: Readonly<Record<string, Filter>> = {
	map: (input, given, context) => {
		const attribute = given.named.get("attribute");
		const elements = elementsOf(input, context.budget);
		if (attribute !== undefined) return elements.map(mapAttribute(attributeGetter(attribute, context), given.named.get("default")));
		const name = given.text(0, "filter");
		return elements.map((element) => demand(context.filter(name, element, given.after(1, `filter "${name}"`))));
	},
	select: (input, given, context) => keep(input, true, { context, test: toTest(given, 0, context) }),
	reject: (input, given, context) => keep(input, false, { context, test: toTest(given, 0, context) }),
	selectattr: (input, given, context) => keep(input, true, { context, test: toAttributeTest(given, context) }),
	rejectattr: (input, given, context) => keep(input, false, { context, test: toAttributeTest(given, context) }),
};

function mapAttribute(get: (element: Value) => Value, fallback: Value | undefined): (element: Value) => Value {
	return (element) => {
		const value = get(element);
		return value instanceof Undefined && fallback !== undefined ? fallback : demand(value);
	};
}

interface Selection {
	readonly context: FilterContext;
	readonly test: (element: Value) => boolean;
}

function keep(input: Value, wanted: boolean, { context, test }: Selection): Value {
	return elementsOf(input, context.budget).filter((element) => test(element) === wanted);
}

/** The test named by the argument at `index`, with the arguments behind it; without a name, whether the value is true. */
function toTest(given: Arguments, index: number, context: FilterContext): (value: Value) => boolean {
	if (given.positional.length <= index) return isTrue;
	const name = given.text(index, "test");
	const rest = given.after(index + 1, `test "${name}"`);
	return (value) => context.test(name, value, rest);
}

function toAttributeTest(given: Arguments, context: FilterContext): (element: Value) => boolean {
	const get = attributeGetter(given.required(0, "attribute"), context);
	const test = toTest(given, 1, context);
	return (element) => test(get(element));
}

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
const versionFilters: Readonly<Record<string, Filter>> = {
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

/** Filters by name. A new one is an entry in one of the groups, or a group of its own. `default` is part of the evaluator, as it takes what is undefined. */
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

/** Whether templates have a filter of this name. */
export function hasFilter(name: string): boolean {
	return name === "default" || name === "d" || filterTable.has(name);
}

/** A semantic version; numbers may be larger than any safe integer. */
interface Version {
	readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
	/** Behind the hyphen, split at the dots. */
	readonly prerelease: readonly string[];
}

/** A leading `v`, as in tags, and missing numbers, which count as 0, are accepted. */
const form = /^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+[\dA-Za-z.-]+)?$/;

function parseVersion(text: string): Version | undefined {
	const match = form.exec(text);
	if (match === null) return undefined;
	const [major, minor, patch] = match.slice(1, 4).map((number) => BigInt(number ?? 0)) as [bigint, bigint, bigint];
	return { numbers: [major, minor, patch], prerelease: match[4]?.split(".") ?? [] };
}

/** Returns the version as text with three numbers: `1.10.0` for `v1.10`. */
function toVersionText({ numbers, prerelease }: Version): string {
	return numbers.join(".") + (prerelease.length === 0 ? "" : `-${prerelease.join(".")}`);
}

/** Negative, zero or positive, by the precedence of semantic versions; build metadata does not count. */
function compareVersions(a: Version, b: Version): number {
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
function bumpVersion({ numbers: [major, minor, patch] }: Version, part: "major" | "minor" | "patch"): string {
	if (part === "major") return `${major + 1n}.0.0`;
	return part === "minor" ? `${major}.${minor + 1n}.0` : `${major}.${minor}.${patch + 1n}`;
}
