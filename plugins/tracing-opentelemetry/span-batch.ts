import type { Span } from "../../core/contract/index.ts";

/** Values of the OTLP standard. */
const internalKind = 1;
const flags = { sampled: 0x101, sampledBelowRemote: 0x301 } as const;
const status = { unset: '{"code":0}', error: 2 } as const;

const firstRoom = 16_384;
/** Maximum UTF-8 bytes of a UTF-16 code unit. */
const widest = 3;

/** Attributes that all spans of a service share, by name. */
export type SpanOrigin = Readonly<Record<string, string>>;

/**
 * Spans as OTLP JSON. Each span is serialized when it is added, because garbage collection would move waiting objects several times before
 * they are sent. Creating the objects of the OpenTelemetry packages and serializing those takes twice as long.
 */
export class SpanBatch {
	#bytes = Buffer.allocUnsafe(firstRoom);
	#length = 0;
	#spans = 0;

	constructor(origin: SpanOrigin) {
		const scope = '{"scope":{"name":"svc-automation"},"spans":[';
		this.#write(`{"resourceSpans":[{"resource":{"attributes":[${toAttributes(origin)}]},"scopeSpans":[${scope}`);
	}

	/** Number of spans in the batch. */
	get size(): number {
		return this.#spans;
	}

	add(span: Span): void {
		this.#write(this.#spans === 0 ? toJson(span) : `,${toJson(span)}`);
		this.#spans += 1;
	}

	/** Returns the body of a request. No span can be added afterwards. */
	finish(): Uint8Array {
		this.#write("]}]}]}");
		return this.#bytes.subarray(0, this.#length);
	}

	#write(text: string): void {
		const needed = this.#length + text.length * widest;
		if (needed > this.#bytes.length) {
			const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
			this.#bytes.copy(larger, 0, 0, this.#length);
			this.#bytes = larger;
		}
		this.#length += this.#bytes.write(text, this.#length);
	}
}

function toJson(span: Span): string {
	const { trace_id, span_id, parent_span_id: parent, is_parent_remote, name, start, end, attributes, failure } = span;
	const below = parent === undefined ? "" : `"parentSpanId":"${parent}",`;
	const ended = failure === undefined ? status.unset : `{"code":${status.error},"message":${JSON.stringify(failure)}}`;
	return (
		`{"traceId":"${trace_id}","spanId":"${span_id}",${below}"name":${JSON.stringify(name)},"kind":${internalKind},` +
		`"startTimeUnixNano":"${toNanoseconds(start)}","endTimeUnixNano":"${toNanoseconds(end)}",` +
		`"attributes":[${toAttributes(attributes)}],"status":${ended},"flags":${is_parent_remote ? flags.sampledBelowRemote : flags.sampled}}`
	);
}

function toAttributes(attributes: Span["attributes"]): string {
	let text = "";
	for (const key in attributes) {
		text += `${text === "" ? "" : ","}{"key":${JSON.stringify(key)},"value":${toValue(attributes[key] as string | number)}}`;
	}
	return text;
}

function toValue(value: string | number): string {
	if (typeof value === "string") return `{"stringValue":${JSON.stringify(value)}}`;
	if (Number.isSafeInteger(value)) return `{"intValue":${value}}`;
	return `{"doubleValue":${Number.isFinite(value) ? value : `"${value}"`}}`;
}

/** Converts to nanoseconds, as a string because they exceed the range of exact numbers. */
function toNanoseconds(microseconds: number): string {
	const whole = Math.round(microseconds);
	return whole === 0 ? "0" : `${whole}000`;
}
