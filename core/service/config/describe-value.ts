/** Returns true if a name suggests a secret. Names of files do not, because paths are no secrets. */
export function isSecretName(name: string): boolean {
	return /pass|secret|token|key|credential/i.test(name) && !/_(path|file)$/i.test(name);
}

/**
 * Describes a value for an error message. Shortens strings to 60 characters. Does not show strings and numbers if `name` suggests that
 * they are secrets.
 */
export function describeValue(value: unknown, name = ""): string {
	if (isSecretName(name)) return describeKind(value);
	if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
	if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
	return describeKind(value);
}

export function describeKind(value: unknown): string {
	if (value === undefined) return "nothing";
	if (value === null) return "null";
	if (Array.isArray(value)) return "an array";
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
