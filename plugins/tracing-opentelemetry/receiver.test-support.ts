import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span as OTLP has it. */
export interface ReceivedSpan {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | undefined;
	readonly name: string;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	readonly status: { readonly code?: number; readonly message?: string };
	readonly attributes: Readonly<Record<string, string>>;
}

interface Wire {
	readonly resourceSpans: readonly {
		readonly scopeSpans: readonly {
			readonly spans: readonly (Omit<ReceivedSpan, "attributes"> & {
				readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
			})[];
		}[];
	}[];
}

/** Run with a receiver of OTLP over HTTP, which keeps what it gets; `answer` says with which status. */
export async function withReceiver(
	run: (receiver: { readonly url: string; readonly spans: ReceivedSpan[]; readonly bodies: string[] }) => Promise<void>,
	{ answer = () => 200 }: { readonly answer?: () => number | Promise<number> } = {},
): Promise<void> {
	const spans: ReceivedSpan[] = [];
	const bodies: string[] = [];
	const server = createServer(async (request, response) => {
		const body = await text(request);
		const status = await answer();
		if (status === 200) {
			bodies.push(body);
			spans.push(...toSpans(JSON.parse(body) as Wire));
		}
		response.writeHead(status, { "content-type": "application/json" }).end("{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		await run({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, spans, bodies });
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

function toSpans({ resourceSpans }: Wire): ReceivedSpan[] {
	const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
	return spans.map((span) => ({
		...span,
		attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? ""])),
	}));
}
