import type { Instrument, Meters } from "../contract/index.ts";
import type { OpenStreams } from "./open-streams.ts";

const noInstrument: Instrument = { record: () => {} };
/** Meters that record nothing. */
export const noMeters: Meters = { counter: () => noInstrument, histogram: () => noInstrument, gauge: () => {} };

/**
 * Measures requests and event streams. Labels contain the declared path of a route, never the client's input, which has an unbounded number
 * of values.
 */
export class HttpMetrics {
	readonly #requests: Instrument;
	readonly #duration: Instrument;
	readonly #streamPieces: Instrument;
	readonly #streamBytes: Instrument;
	readonly #slowReaders: Instrument;

	constructor(meters: Meters, streams: Pick<OpenStreams, "count">) {
		this.#requests = meters.counter({
			name: "svc_http_requests_total",
			help: "HTTP requests, by route and status.",
			labels: ["method", "route", "status"],
		});
		this.#duration = meters.histogram({
			name: "svc_http_request_duration_seconds",
			help: "Time until the response to a request starts.",
			labels: ["method"],
			buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
		});
		this.#streamPieces = meters.counter({
			name: "svc_stream_pieces_total",
			help: "Chunks sent on event streams; events that arrive together are one chunk.",
		});
		this.#streamBytes = meters.counter({ name: "svc_stream_bytes_total", help: "Bytes sent on event streams." });
		this.#slowReaders = meters.counter({
			name: "svc_stream_slow_readers_total",
			help: "Event streams that were closed because the client was too slow.",
		});
		meters.gauge({ name: "svc_stream_followers", help: "Open event streams." }, () => [[streams.count]]);
	}

	/** Records a response. `milliseconds` is the time until it began. */
	recordResponse({ method, path }: { readonly method: string; readonly path: string }, status: number, milliseconds: number): void {
		this.#requests.record(1, method, path, String(status));
		this.#duration.record(milliseconds / 1_000, method);
	}

	recordStreamPiece({ byteLength }: Uint8Array): void {
		this.#streamPieces.record(1);
		this.#streamBytes.record(byteLength);
	}

	/** Records that an event stream was ended because its client was too slow. */
	recordSlowClient(): void {
		this.#slowReaders.record(1);
	}
}
