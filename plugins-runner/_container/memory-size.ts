const units: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Returns true if the value is a memory size such as `512m`. */
export function isMemorySize(text: unknown): text is string {
	return typeof text === "string" && /^\d{1,12}[bkmg]?$/.test(text) && toBytes(text) > 0;
}

/** Returns a memory size in bytes. */
export function toBytes(text: string): number {
	const unit = units[text.at(-1) ?? ""];
	return unit === undefined ? Number(text) : Number(text.slice(0, -1)) * unit;
}
