import type { OpenTelemetrySettings } from "./options.ts";
import type { SpanBatch } from "./span-batch.ts";

/** What exporters of OpenTelemetry are made of: requests, tries again, and what variables of the environment say about them. */
export type Exporting = typeof import("@opentelemetry/otlp-exporter-base/node-http");

export interface SpanPostSettings extends Pick<OpenTelemetrySettings, "url" | "headers"> {
	/** Milliseconds for which a receiver may take a batch, tries again included. */
	readonly patience: number;
}

/** Posts batches to a receiver. */
export interface SpanPost {
	/** Rejects where that failed. */
	send(batch: SpanBatch): Promise<void>;
	/** Never rejects. */
	stop(): Promise<void>;
}

const component = "otlp_http_json_span_exporter";

/** As the exporter for traces of OpenTelemetry does it, for spans that are in the form of requests already. */
export function createSpanPost(exporting: Exporting, { url, headers, patience: timeoutMillis }: SpanPostSettings): SpanPost {
	const given = { ...(url !== undefined && { url }), headers: { ...headers }, timeoutMillis };
	const options = exporting.convertLegacyHttpOptions(given, "TRACES", "v1/traces", { "Content-Type": "application/json" });
	// Whatever a receiver says besides having taken them is of no use to anybody.
	const form = { serializeRequest: (batch: SpanBatch) => batch.finish(), deserializeResponse: () => ({}) };
	const counting = { name: "span" as const, countItems: (batch: SpanBatch) => batch.size };
	const delegate = exporting.createOtlpHttpExportDelegate(options, form, component, counting, undefined);
	return {
		send: (batch) =>
			new Promise((resolve, reject) => {
				delegate.export(batch, ({ code, error }) =>
					code === 0 ? resolve() : reject(error ?? new Error("the receiver has refused the spans")),
				);
			}),
		stop: () => delegate.shutdown().catch(() => undefined),
	};
}
