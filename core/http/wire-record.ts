import { createHash } from "node:crypto";

/** A record as it travels: members in the order of the reference. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** The part of a uid that stands for what cannot be spelled out there. Nothing secret: MD5, as clients know these uids. */
export function toDigest(text: string): string {
	return createHash("md5").update(text).digest("hex");
}

/** The same record without members that are null or missing. */
export function withoutNull(record: Record<string, unknown>): WireRecord {
	for (const name of Object.keys(record)) if (record[name] === null || record[name] === undefined) delete record[name];
	return record;
}

/**
 * What is set of a record whose names the service has chosen. A new object, unlike that of `withoutNull`: one that members are taken out of is
 * slow to read from then on, and records of executions are shown with every state.
 */
export function onlySet(record: Readonly<Record<string, unknown>>): WireRecord {
	const set: Record<string, unknown> = {};
	for (const name in record) {
		const value = record[name];
		if (value !== null && value !== undefined) set[name] = value;
	}
	return set;
}

/** The same without members that are empty, zero or false. */
export function onlyFilled(record: Readonly<Record<string, unknown>>): WireRecord {
	const filled: Record<string, unknown> = {};
	for (const name in record) {
		const value = record[name];
		if (!isEmpty(value)) filled[name] = value;
	}
	return filled;
}

function isEmpty(value: unknown): boolean {
	if (!value) return true;
	if (typeof value !== "object") return false;
	return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
