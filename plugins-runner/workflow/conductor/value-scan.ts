import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue, SvcError, stringifyJson } from "../../../core/contract/index.ts";

/** A path from its end to its beginning. */
interface Trail {
	readonly step: string | number;
	readonly before: Trail | undefined;
}

/** A large part of a value. */
interface LargePart {
	/** The same for the same value, and for no other. */
	readonly digest: string;
	readonly trail: Trail | undefined;
	readonly isObject: boolean;
}

/** What a value is made of. */
export interface ValueScan {
	/** The value with what stands for known parts in their places, and objects with a member `$` made unmistakable. */
	readonly held: JsonValue;
	readonly large: readonly LargePart[];
}

interface Part {
	readonly held: JsonValue;
	readonly bytes: number;
	/** Its text, or its digest when it is large. */
	readonly text: string;
	/** It has, or looks as if it had, references in it: what it is cannot be told. */
	readonly isOpaque: boolean;
}

/** Bytes from which on a value is worth a reference. */
const largeBytes = 512;
/** Values that seem smaller are looked through at once. */
const quickBytes = largeBytes / 2;
/** What is nested deeper is refused. */
const deepest = 1000;

/** Looks through a value once. `find` tells what stands for a large part. `SVC_INVALID` for what is nested too deeply. */
export function scanValue(value: JsonValue, find: (digest: string) => JsonValue | undefined = () => undefined): ValueScan {
	const surveying: Surveying = { large: [], find };
	return { held: look(value, undefined, { depth: 0, surveying }).held, large: surveying.large };
}

interface Surveying {
	readonly large: LargePart[];
	readonly find: (digest: string) => JsonValue | undefined;
}

function look(part: JsonValue, trail: Trail | undefined, at: { readonly depth: number; readonly surveying: Surveying }): Part {
	const { depth, surveying } = at;
	if (depth > deepest) throw new SvcError("SVC_INVALID", `the value is nested more than ${deepest} levels deep`);
	const inside = { depth: depth + 1, surveying };
	const inner = (step: string | number, member: JsonValue) => look(member, { step, before: trail }, inside);
	const seen = toFlat(part) ?? lookInside(part, inner);
	if (seen.bytes < largeBytes || seen.isOpaque) return seen;
	const digest = createHash("sha256").update(seen.text).digest("base64");
	surveying.large.push({ digest, trail, isObject: isJsonObject(part) });
	return { ...seen, held: surveying.find(digest) ?? seen.held, text: `#${digest}` };
}

/** The part for a small value, or a list of small values, looked through at once: a list may have a hundred thousand. Undefined for all else. */
function toFlat(value: JsonValue): Part | undefined {
	const isFlat = isArray(value) ? value.every(isQuick) : isQuick(value);
	if (!isFlat) return undefined;
	const text = stringifyJson(value);
	return text.includes('"$"') ? undefined : { held: value, bytes: text.length, text, isOpaque: false };
}

function isQuick(value: JsonValue): boolean {
	return measure(value, quickBytes) < quickBytes;
}

export function toPath(trail: Trail | undefined): readonly (string | number)[] {
	const path: (string | number)[] = [];
	for (let at = trail; at !== undefined; at = at.before) path.push(at.step);
	return path.reverse();
}

/** About the bytes of a value as JSON. */
export function estimateBytes(value: JsonValue): number {
	return measure(value, Number.POSITIVE_INFINITY);
}

export function isSmall(value: JsonValue): boolean {
	return measure(value, largeBytes) < largeBytes;
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
	return Array.isArray(value);
}

/** The same list where nothing changes. */
export function mapArray(value: readonly JsonValue[], change: (part: JsonValue) => JsonValue): readonly JsonValue[] {
	const changed = value.map(change);
	return changed.every((part, at) => part === value[at]) ? value : changed;
}

/** The same object where nothing changes. */
export function mapObject(value: JsonObject, change: (part: JsonValue) => JsonValue): JsonObject {
	const changed = Object.entries(value).map(([name, part]) => [name, change(part)] as const);
	return changed.every(([name, part]) => part === value[name]) ? value : Object.fromEntries(changed);
}

function lookInside(value: JsonValue, inner: (step: string | number, member: JsonValue) => Part): Part {
	if (typeof value !== "object" || value === null) {
		const text = stringifyJson(value);
		return { held: value, bytes: text.length, text, isOpaque: false };
	}
	if (isArray(value)) {
		const parts = value.map((member, at) => inner(at, member));
		const held = parts.every((part, at) => part.held === value[at]) ? value : parts.map((part) => part.held);
		return { held, bytes: sum(parts), text: `[${parts.map(({ text }) => text).join()}]`, isOpaque: parts.some(({ isOpaque }) => isOpaque) };
	}
	const entries = Object.entries(value).map(([name, member]) => [name, inner(name, member)] as const);
	const isSame = entries.every(([name, part]) => part.held === value[name]);
	const plain = isSame ? value : Object.fromEntries(entries.map(([name, part]) => [name, part.held]));
	const isMarked = Object.hasOwn(value, "$");
	return {
		held: isMarked ? { $: { o: plain } } : plain,
		bytes: sum(entries.map(([, part]) => part)) + sum(entries.map(([name]) => ({ bytes: name.length + 3 }))),
		text: `{${entries.map(([name, { text }]) => `${stringifyJson(name)}:${text}`).join()}}`,
		isOpaque: isMarked || entries.some(([, { isOpaque }]) => isOpaque),
	};
}

function sum(parts: readonly { readonly bytes: number }[]): number {
	return parts.reduce((all, { bytes }) => all + bytes + 1, 1);
}

/** Stops when it has found as much as `most`. */
function measure(value: JsonValue, most: number, depth = 0): number {
	if (typeof value === "string") return value.length + 2;
	if (typeof value !== "object" || value === null || depth > deepest) return 8;
	let bytes = 2;
	if (isArray(value)) {
		for (let at = 0; at < value.length && bytes < most; at++) bytes += 1 + measure(value[at] ?? null, most - bytes, depth + 1);
		return bytes;
	}
	for (const name in value) {
		if (bytes >= most) break;
		bytes += name.length + 4 + measure(value[name] ?? null, most - bytes, depth + 1);
	}
	return bytes;
}
