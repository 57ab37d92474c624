/** Where somebody stands in a trace, as W3C Trace Context has it. */
export interface TraceParent {
	/** 32 hexadecimal digits. */
	readonly traceId: string;
	/** 16 hexadecimal digits. */
	readonly spanId: string;
	/** Whether what comes of it is to be recorded. */
	readonly isSampled: boolean;
}

/** Of versions to come what stands behind the flags is left out. */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const longest = 200;

/** Undefined for what is none: whoever sends that has no trace that could be continued. */
export function parseTraceparent(text: string | null | undefined): TraceParent | undefined {
	if (text === null || text === undefined || text.length > longest) return undefined;
	const [, traceId, spanId, flags] = form.exec(text) ?? [];
	if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
	if (text.startsWith("00") && text.length > 55) return undefined;
	return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** As it is sent on. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
	return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** What is kept of a header: null for what is none. */
export function toKeptTraceparent(text: string | null | undefined): string | null {
	const parent = parseTraceparent(text);
	return parent === undefined ? null : formatTraceparent(parent);
}
