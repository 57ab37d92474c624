import type { Span } from "../../core/contract/index.ts";

/** Numbers of the standard. */
const internalKind = 1;
const flags = { sampled: 0x101, sampledBelowRemote: 0x301 } as const;
const status = { unset: '{"code":0}', error: 2 } as const;

const firstRoom = 16_384;
/** Bytes that a character of JavaScript takes at most. */
const widest = 3;

/** What is the same of all spans of a service, by name. */
export type SpanOrigin = Readonly<Record<string, string>>;

/**
 * Spans as OTLP has them, in JSON. Each is written when it comes: as objects they would be moved by the garbage collector several times
 * before they are sent, and to make those that the packages of OpenTelemetry take, and text of these, takes as long again.
 */
export class SpanBatch {
	#bytes = Buffer.allocUnsafe(firstRoom);
	#length = 0;
	#spans = 0;

	constructor(origin: SpanOrigin) {
		const scope = '{"scope":{"name":"svc-automation"},"spans":[';
		this.#write(`{"resourceSpans":[{"resource":{"attributes":[${toAttributes(origin)}]},"scopeSpans":[${scope}`);
	}

	/** How many there are. */
	get size(): number {
		return this.#spans;
	}

	add(span: Span): void {
		this.#write(this.#spans === 0 ? toJson(span) : `,${toJson(span)}`);
		this.#spans += 1;
	}

	/** The body of a request. Nothing can be added any more. */
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

/** Nanoseconds are more than a number holds. */
function toNanoseconds(microseconds: number): string {
	const whole = Math.round(microseconds);
	return whole === 0 ? "0" : `${whole}000`;
}
