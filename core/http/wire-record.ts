import { createHash } from "node:crypto";

/** A record as it is sent to clients, with members in the order of the API reference. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * Returns the MD5 digest that a uid contains for a string. MD5 is kept because clients have stored such uids; nothing secret depends on it.
 */
export function toMd5Digest(text: string): string {
	return createHash("md5").update(text).digest("hex");
}

/** Deletes members that are null or undefined. Returns the same object. */
export function deleteNullMembers(record: Record<string, unknown>): WireRecord {
	for (const name of Object.keys(record)) if (record[name] === null || record[name] === undefined) delete record[name];
	return record;
}

/**
 * Returns a copy of a record without members that are null or undefined. Member names must be chosen by the service. It does not
 * delete members in place, because an object is slow to read after that. Records of executions are sent with every change of state.
 */
export function copyWithoutNull(record: Readonly<Record<string, unknown>>): WireRecord {
	const copy: Record<string, unknown> = {};
	for (const name in record) {
		const value = record[name];
		if (value !== null && value !== undefined) copy[name] = value;
	}
	return copy;
}

/**
 * Returns a copy of a record without members that are null, undefined, empty, zero or false. Member names must be chosen by the
 * service.
 */
export function copyWithoutEmpty(record: Readonly<Record<string, unknown>>): WireRecord {
	const copy: Record<string, unknown> = {};
	for (const name in record) {
		const value = record[name];
		if (!isEmpty(value)) copy[name] = value;
	}
	return copy;
}

function isEmpty(value: unknown): boolean {
	if (!value) return true;
	if (typeof value !== "object") return false;
	return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
