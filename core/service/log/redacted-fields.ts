import type { Redactor } from "../../secrets/redactor.ts";

const maxDepth = 12;
const maxTextLength = 16_384;

/**
 * Returns the fields of a log line as values that JSON can represent, with each string redacted. Errors keep stack and cause. Cycles and
 * deeply nested values become `(…)`, and long strings are shortened.
 */
export function toRedactedFields(fields: Readonly<Record<string, unknown>>, redactors: readonly Redactor[]): Record<string, unknown> {
	return toPlainObject(fields, { redactors, path: [fields] });
}

/** Returns the string after applying all redactors, one after the other. */
export function redactText(text: string, redactors: readonly Redactor[]): string {
	let redacted = text;
	for (const redactor of redactors) redacted = redactor.redactText(redacted);
	return redacted;
}

interface Walk {
	readonly redactors: readonly Redactor[];
	/** The objects that contain the value; used to detect cycles. */
	readonly path: readonly unknown[];
}

function toPlain(value: unknown, walk: Walk): unknown {
	if (typeof value === "string") return toText(value, walk);
	if (value === null || value === undefined || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
		return value;
	if (typeof value !== "object") return toText(String(value), walk);
	if (value instanceof Uint8Array) return `(${value.length} bytes)`;
	if (walk.path.includes(value) || walk.path.length > maxDepth) return "(…)";
	const inner = { ...walk, path: [...walk.path, value] };
	if (value instanceof Error) return toPlainObject(toErrorFields(value), inner);
	if (Array.isArray(value)) return value.map((element) => toPlain(element, inner));
	if (value instanceof Date || value instanceof URL) return toText(String(value.toJSON()), walk);
	return toPlainObject(value, inner);
}

function toPlainObject(value: object, walk: Walk): Record<string, unknown> {
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [redactText(key, walk.redactors), toPlain(member, walk)]));
}

function toErrorFields(error: Error): Record<string, unknown> {
	const { name, message, stack, cause, ...others } = error;
	return { name: error.name || name, message, ...others, stack, ...(cause === undefined ? {} : { cause }) };
}

/** Shortens a string after redacting it: cutting through a secret first would leave its beginning unmasked. */
function toText(text: string, { redactors }: Walk): string {
	const redacted = redactText(text, redactors);
	return redacted.length > maxTextLength ? `${redacted.slice(0, maxTextLength)}… (${redacted.length} characters)` : redacted;
}
