/** Trace context of a caller, as in W3C Trace Context. */
export interface TraceParent {
	/** Id of the trace, 32 hexadecimal digits. */
	readonly traceId: string;
	/** Id of the span, 16 hexadecimal digits. */
	readonly spanId: string;
	/** True if spans that derive from this context must be recorded. */
	readonly isSampled: boolean;
}

/** Matches a `traceparent` header. Fields that future versions add after the flags are ignored. */
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** Maximum number of characters of a header. */
const maxHeaderLength = 200;

/** Parses a `traceparent` header. Returns undefined if it is absent or invalid; a new trace begins then. */
export function parseTraceparent(text: string | null | undefined): TraceParent | undefined {
	if (text === null || text === undefined || text.length > maxHeaderLength) return undefined;
	const [, traceId, spanId, flags] = traceparentPattern.exec(text) ?? [];
	if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
	if (text.startsWith("00") && text.length > 55) return undefined;
	return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the value of a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
	return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** Returns a header in the form in which it is stored. Returns null if it is absent or invalid. */
export function normalizeTraceparent(text: string | null | undefined): string | null {
	const traceParent = parseTraceparent(text);
	return traceParent === undefined ? null : formatTraceparent(traceParent);
}
