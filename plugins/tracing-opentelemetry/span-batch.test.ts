import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Span } from "../../core/contract/index.ts";
import { SpanBatch } from "./span-batch.ts";

const span: Span = {
	trace_id: "a".repeat(32),
	span_id: "b".repeat(16),
	parent_span_id: undefined,
	is_parent_remote: false,
	name: "default.echo",
	start: 1_764_097_200_123_456,
	end: 1_764_097_200_123_457,
	attributes: { "svc.kind": "execution" },
	failure: undefined,
};
/** What a span is sent as, beside what differs. */
const sent = {
	traceId: span.trace_id,
	spanId: span.span_id,
	name: span.name,
	kind: 1,
	startTimeUnixNano: "1764097200123456000",
	endTimeUnixNano: "1764097200123457000",
	attributes: [{ key: "svc.kind", value: { stringValue: "execution" } }],
	status: { code: 0 },
	flags: 0x101,
};

function send(spans: readonly Span[], origin = {}) {
	const batch = new SpanBatch(origin);
	for (const one of spans) batch.add(one);
	assert.equal(batch.size, spans.length);
	return JSON.parse(Buffer.from(batch.finish()).toString()) as { readonly resourceSpans: readonly unknown[] };
}

/** As the schema of OTLP has it (opentelemetry/proto/trace/v1/trace.proto), in its form for JSON. */
function toRequest(spans: readonly object[], attributes: readonly object[] = []) {
	return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: "svc-automation" }, spans }] }] };
}

test("spans are sent as OTLP has them, below those of others and of their own, failed and not", () => {
	const parent_span_id = "c".repeat(16);
	const spans = [
		span,
		{ ...span, parent_span_id, failure: "timeout" },
		{ ...span, parent_span_id, is_parent_remote: true, attributes: { whole: 3, part: 0.5, none: Number.NaN }, start: 0, end: 0.4 },
	];
	const numbers = [
		{ key: "whole", value: { intValue: 3 } },
		{ key: "part", value: { doubleValue: 0.5 } },
		{ key: "none", value: { doubleValue: "NaN" } },
	];
	const none = { startTimeUnixNano: "0", endTimeUnixNano: "0" };
	const expected = [
		sent,
		{ ...sent, parentSpanId: parent_span_id, status: { code: 2, message: "timeout" } },
		{ ...sent, ...none, parentSpanId: parent_span_id, attributes: numbers, flags: 0x301 },
	];
	const origin = [{ key: "service.name", value: { stringValue: 'a "b"' } }];
	assert.deepEqual(send(spans, { "service.name": 'a "b"' }), toRequest(expected, origin));
	assert.deepEqual(send([]), toRequest([]));
});

test("hostile names and many spans break nothing", () => {
	const name = `"}],\\ \n\u0000\u2028 \ud800 Grüße 😀${"x".repeat(200)}`;
	const spans = Array.from({ length: 512 }, () => ({ ...span, name, failure: name, attributes: { [name]: name } }));
	const told = JSON.parse(JSON.stringify(name)) as string;
	const one = { ...sent, name: told, status: { code: 2, message: told }, attributes: [{ key: told, value: { stringValue: told } }] };
	assert.deepEqual(send(spans), toRequest(spans.map(() => one)));
});

test.run();
