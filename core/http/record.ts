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

/** The same record without members that are empty, zero, false or null. */
export function withoutEmpty(record: Record<string, unknown>): WireRecord {
	for (const name of Object.keys(record)) if (isEmpty(record[name])) delete record[name];
	return record;
}

function isEmpty(value: unknown): boolean {
	if (!value) return true;
	if (typeof value !== "object") return false;
	return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
