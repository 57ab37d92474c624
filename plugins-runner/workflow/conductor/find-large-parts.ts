import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue, SvcError, stringifyJson } from "../../../core/contract/index.ts";

/** Path to a part of a value, linked from its end to its beginning. */
interface PathLink {
	readonly step: string | number;
	readonly before: PathLink | undefined;
}

/** Part of a value that is large enough to be referred to. */
interface LargePart {
	/** SHA-256 digest of the content, so that equal values have equal digests. */
	readonly digest: string;
	readonly trail: PathLink | undefined;
	readonly isObject: boolean;
}

/** A value and its large parts. */
export interface LargePartScan {
	/** The value, in which references replace large parts that are stored already. Objects with a member `$` are escaped. */
	readonly held: JsonValue;
	readonly large: readonly LargePart[];
}

interface Part {
	readonly held: JsonValue;
	readonly bytes: number;
	/** JSON of the part; its digest instead if it is large. */
	readonly text: string;
	/** True if the part contains a member `$` and therefore cannot be identified by `text`. */
	readonly isOpaque: boolean;
}

/** Estimated bytes from which a value is stored once and then referred to. */
const largeBytes = 512;
/** Estimated bytes below which a value is serialized in one call, without examining its parts. */
const flatBytes = largeBytes / 2;
/** Maximum nesting depth; deeper values are refused. */
const maxDepth = 1000;

/**
 * Finds the large parts of a value, in one pass. `find` returns the reference that replaces a large part. Throws `SVC_INVALID` if the value
 * is nested more than 1000 levels deep.
 */
export function findLargeParts(value: JsonValue, find: (digest: string) => JsonValue | undefined = () => undefined): LargePartScan {
	const run: ScanRun = { large: [], find };
	return { held: scanPart(value, undefined, { depth: 0, run }).held, large: run.large };
}

interface ScanRun {
	readonly large: LargePart[];
	readonly find: (digest: string) => JsonValue | undefined;
}

function scanPart(part: JsonValue, trail: PathLink | undefined, at: { readonly depth: number; readonly run: ScanRun }): Part {
	const { depth, run } = at;
	if (depth > maxDepth) throw new SvcError("SVC_INVALID", `the value is nested more than ${maxDepth} levels deep`);
	const inside = { depth: depth + 1, run };
	const scanMember = (step: string | number, member: JsonValue) => scanPart(member, { step, before: trail }, inside);
	const scanned = toFlatPart(part) ?? scanMembers(part, scanMember);
	if (scanned.bytes < largeBytes || scanned.isOpaque) return scanned;
	const digest = createHash("sha256").update(scanned.text).digest("base64");
	run.large.push({ digest, trail, isObject: isJsonObject(part) });
	return { ...scanned, held: run.find(digest) ?? scanned.held, text: `#${digest}` };
}

/**
 * Returns the part for a small value, or for a list of small values, which is serialized in one call, because it may have 100,000 elements.
 * Returns undefined for other values, and for values that contain a member `$`.
 */
function toFlatPart(value: JsonValue): Part | undefined {
	const isFlat = isArray(value) ? value.every(isFlatValue) : isFlatValue(value);
	if (!isFlat) return undefined;
	const text = stringifyJson(value);
	return text.includes('"$"') ? undefined : { held: value, bytes: text.length, text, isOpaque: false };
}

function isFlatValue(value: JsonValue): boolean {
	return estimate(value, flatBytes) < flatBytes;
}

/** Returns the path from the root of the value. */
export function toPath(trail: PathLink | undefined): readonly (string | number)[] {
	const path: (string | number)[] = [];
	for (let at = trail; at !== undefined; at = at.before) path.push(at.step);
	return path.reverse();
}

/** Returns the estimated number of bytes of a value as JSON. */
export function estimateBytes(value: JsonValue): number {
	return estimate(value, Number.POSITIVE_INFINITY);
}

/** Returns true if a value is too small to be stored by reference. */
export function isSmall(value: JsonValue): boolean {
	return estimate(value, largeBytes) < largeBytes;
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
	return Array.isArray(value);
}

/** Maps the elements of a list. Returns the same list if no element changes. */
export function mapArray(value: readonly JsonValue[], change: (part: JsonValue) => JsonValue): readonly JsonValue[] {
	const changed = value.map(change);
	return changed.every((part, at) => part === value[at]) ? value : changed;
}

/** Maps the members of an object. Returns the same object if no member changes. */
export function mapObject(value: JsonObject, change: (part: JsonValue) => JsonValue): JsonObject {
	const changed = Object.entries(value).map(([name, part]) => [name, change(part)] as const);
	return changed.every(([name, part]) => part === value[name]) ? value : Object.fromEntries(changed);
}

function scanMembers(value: JsonValue, scanMember: (step: string | number, member: JsonValue) => Part): Part {
	if (typeof value !== "object" || value === null) {
		const text = stringifyJson(value);
		return { held: value, bytes: text.length, text, isOpaque: false };
	}
	if (isArray(value)) {
		const parts = value.map((member, at) => scanMember(at, member));
		const held = parts.every((part, at) => part.held === value[at]) ? value : parts.map((part) => part.held);
		return {
			held,
			bytes: sumBytes(parts),
			text: `[${parts.map(({ text }) => text).join()}]`,
			isOpaque: parts.some(({ isOpaque }) => isOpaque),
		};
	}
	const entries = Object.entries(value).map(([name, member]) => [name, scanMember(name, member)] as const);
	const isSame = entries.every(([name, part]) => part.held === value[name]);
	const plain = isSame ? value : Object.fromEntries(entries.map(([name, part]) => [name, part.held]));
	const isEscaped = Object.hasOwn(value, "$");
	return {
		held: isEscaped ? { $: { o: plain } } : plain,
		bytes: sumBytes(entries.map(([, part]) => part)) + sumBytes(entries.map(([name]) => ({ bytes: name.length + 3 }))),
		text: `{${entries.map(([name, { text }]) => `${stringifyJson(name)}:${text}`).join()}}`,
		isOpaque: isEscaped || entries.some(([, { isOpaque }]) => isOpaque),
	};
}

function sumBytes(parts: readonly { readonly bytes: number }[]): number {
	return parts.reduce((all, { bytes }) => all + bytes + 1, 1);
}

/** Estimates the bytes of a value as JSON. Stops once `maxBytes` is reached. */
function estimate(value: JsonValue, maxBytes: number, depth = 0): number {
	if (typeof value === "string") return value.length + 2;
	if (typeof value !== "object" || value === null || depth > maxDepth) return 8;
	let bytes = 2;
	if (isArray(value)) {
		for (let at = 0; at < value.length && bytes < maxBytes; at++) bytes += 1 + estimate(value[at] ?? null, maxBytes - bytes, depth + 1);
		return bytes;
	}
	for (const name in value) {
		if (bytes >= maxBytes) break;
		bytes += name.length + 4 + estimate(value[name] ?? null, maxBytes - bytes, depth + 1);
	}
	return bytes;
}
