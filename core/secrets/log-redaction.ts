import { mask } from "../language/parameters/schema-masking.ts";

/** Attribute names whose values never reach a log (specification, Secrets masking 4), and the names of our own environment. */
export const secretLogNames: readonly string[] = [
	"password",
	"auth_token",
	"token",
	"secret",
	"credentials",
	"st2_auth_token",
	"svc_auth_token",
	"svc_action_auth_token",
];

/** Deeper values are masked whole. */
const maximumDepth = 100;

/**
 * Fields of a log line with the values of secret attributes masked, in nested objects and lists too. Names are compared
 * without regard to case. The same object when nothing was masked.
 *
 * @param names lower-case names in addition to `secretLogNames`
 */
export function maskLogFields(fields: Readonly<Record<string, unknown>>, names: readonly string[] = []): Readonly<Record<string, unknown>> {
	return maskLogValue(fields, new Set([...secretLogNames, ...names]), 0) as Readonly<Record<string, unknown>>;
}

function maskLogValue(value: unknown, names: ReadonlySet<string>, depth: number): unknown {
	if (Array.isArray(value)) {
		const copy = value.map((element) => maskLogValue(element, names, depth + 1));
		return copy.some((element, index) => element !== value[index]) ? copy : value;
	}
	if (!isPlainObject(value)) return value;
	if (depth > maximumDepth) return mask;
	let copy: Record<string, unknown> | undefined;
	for (const [key, member] of Object.entries(value)) {
		const masked = names.has(key.toLowerCase()) ? mask : maskLogValue(member, names, depth + 1);
		if (masked === member) continue;
		copy ??= { ...value };
		copy[key] = masked;
	}
	return copy ?? value;
}

/** Errors, dates and the like are written by the logger in its own way. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
