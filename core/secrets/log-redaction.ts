import { secretMask } from "../contract/secret-mask.ts";

/** Attribute names whose values must never appear in a log, including those of the environment variables of runs. */
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

/** Maximum nesting depth. Deeper objects and arrays are masked as a whole. */
const maximumDepth = 100;

/**
 * Masks the values of secret attributes in the fields of a log line, including nested objects and lists.
 *
 * Names are compared case-insensitively. Returns the same object if nothing was masked.
 *
 * @param names lower-case names in addition to `secretLogNames`
 */
export function maskLogFields(fields: Readonly<Record<string, unknown>>, names: readonly string[] = []): Readonly<Record<string, unknown>> {
	return maskLogValue(fields, new Set([...secretLogNames, ...names]), 0) as Readonly<Record<string, unknown>>;
}

function maskLogValue(value: unknown, names: ReadonlySet<string>, depth: number): unknown {
	if (!Array.isArray(value) && !isPlainObject(value)) return value;
	if (depth > maximumDepth) return secretMask;
	if (Array.isArray(value)) {
		const copy = value.map((element) => maskLogValue(element, names, depth + 1));
		return copy.some((element, index) => element !== value[index]) ? copy : value;
	}
	let copy: Record<string, unknown> | undefined;
	for (const [key, member] of Object.entries(value)) {
		const masked = names.has(key.toLowerCase()) ? secretMask : maskLogValue(member, names, depth + 1);
		if (masked === member) continue;
		copy ??= { ...value };
		copy[key] = masked;
	}
	return copy ?? value;
}

/** Returns true for objects whose members are masked. The logger formats other objects, such as errors and dates. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
