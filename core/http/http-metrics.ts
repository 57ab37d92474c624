import type { Instrument, Meters } from "../contract/index.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Nobody measures. */
const nothing: Instrument = { record: () => {} };
export const noMeters: Meters = { counter: () => nothing, histogram: () => nothing, gauge: () => {} };

/** Measures requests and event streams. Routes are named as they are declared: what callers write stands in no label. */
export class HttpMetrics {
	readonly #requests: Instrument;
	readonly #duration: Instrument;
	readonly #pieces: Instrument;
	readonly #bytes: Instrument;
	readonly #slow: Instrument;

	constructor(meters: Meters, streams: Pick<OpenStreams, "count">) {
		this.#requests = meters.counter({
			name: "svc_http_requests_total",
			help: "Requests that were answered, by route.",
			labels: ["method", "route", "status"],
		});
		this.#duration = meters.histogram({
			name: "svc_http_request_duration_seconds",
			help: "How long requests took until their answer began.",
			labels: ["method"],
			buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
		});
		this.#pieces = meters.counter({
			name: "svc_stream_pieces_total",
			help: "Pieces of event streams that were sent; events that come together are one.",
		});
		this.#bytes = meters.counter({ name: "svc_stream_bytes_total", help: "Bytes of event streams that were sent." });
		this.#slow = meters.counter({
			name: "svc_stream_slow_readers_total",
			help: "Event streams that were ended as their clients were too slow.",
		});
		meters.gauge({ name: "svc_stream_followers", help: "Event streams that are open." }, () => [[streams.count]]);
	}

	answered({ method, path }: { readonly method: string; readonly path: string }, status: number, milliseconds: number): void {
		this.#requests.record(1, method, path, String(status));
		this.#duration.record(milliseconds / 1_000, method);
	}

	/** Part of an event stream was sent. */
	sent({ byteLength }: Uint8Array): void {
		this.#pieces.record(1);
		this.#bytes.record(byteLength);
	}

	/** An event stream was ended as its client was too slow. */
	tooSlow(): void {
		this.#slow.record(1);
	}
}
