import { hostname } from "node:os";
import { defineTelemetry, type Instrument, type Logger, type PluginContext, type Span, type Telemetry } from "../../core/contract/index.ts";
import { importPackage } from "../_packages/import-package.ts";
import { type OpenTelemetryOptions, type OpenTelemetrySettings, parseOptions } from "./options.ts";
import { SpanBatch, type SpanOrigin } from "./span-batch.ts";
import { SpanQueue } from "./span-queue.ts";

export type { OpenTelemetryOptions } from "./options.ts";

/** Telemetry plugin that sends traces as OTLP over HTTP. */
export const openTelemetry = defineTelemetry("opentelemetry", (options: OpenTelemetryOptions) => new OpenTelemetry(options));

/** Maximum milliseconds for sending a batch, and for a stop to wait for the remaining spans. */
const exportTimeoutMs = 5_000;
/** Number of possible values of the sampling key, the last eight hexadecimal digits of a trace id. */
const allValues = 0x1_0000_0000;

export class OpenTelemetry implements Telemetry {
	readonly description = "Traces for OpenTelemetry, sent as OTLP.";
	readonly #options: OpenTelemetryOptions;
	readonly #package: string;
	/** Traces whose sampling key is below this value are sent. */
	#chosenBelow = 0;
	#queue: SpanQueue | undefined;
	#post: SpanPost | undefined;

	/** @param name name of the exporter package, so that a test can use a missing one */
	constructor(options: OpenTelemetryOptions, name = "@opentelemetry/otlp-exporter-base") {
		this.#options = options;
		this.#package = name;
	}

	async check(): Promise<void> {
		parseOptions(this.#options, process.env);
	}

	/** Starts the export. Without the package the service works but sends no traces. */
	async start({ logger, meters, nodeId }: Pick<PluginContext, "logger" | "meters" | "nodeId">): Promise<void> {
		const settings = parseOptions(this.#options, process.env);
		const post = await this.#createPost(settings, logger);
		if (post === undefined) return;
		const dropped = meters?.counter({ name: "svc_spans_dropped_total", help: "Spans that could not be sent." });
		const origin = toOrigin(settings, nodeId);
		this.#chosenBelow = settings.ratio * allValues;
		this.#post = post;
		this.#queue = new SpanQueue({
			limit: settings.queue,
			createBatch: () => new SpanBatch(origin),
			send: (batch) => post.send(batch),
			onDropped: createReport(logger, dropped),
		});
	}

	span(span: Span): void {
		this.#queue?.add(span);
	}

	/** Decides by the end of the trace id, which is random (W3C Trace Context), so that all nodes decide alike. */
	samples(traceId: string): boolean {
		return this.#chosenBelow === allValues || Number.parseInt(traceId.slice(-8), 16) < this.#chosenBelow;
	}

	async stop(): Promise<void> {
		const [queue, post] = [this.#queue, this.#post];
		this.#queue = undefined;
		this.#post = undefined;
		let timer: NodeJS.Timeout | undefined;
		// A slow receiver must not prevent the service from stopping.
		await Promise.race([queue?.flush(), new Promise<void>((resolve) => (timer = setTimeout(resolve, exportTimeoutMs)))]);
		clearTimeout(timer);
		await post?.stop();
	}

	async #createPost(settings: OpenTelemetrySettings, logger: Logger): Promise<SpanPost | undefined> {
		const name = this.#package;
		try {
			const exporting = (await importPackage(`${name}/node-http`, "telemetry opentelemetry")) as Exporting;
			return createSpanPost(exporting, { ...settings, exportTimeoutMs });
		} catch (error) {
			logger.warn("optional package is missing", {
				package: name,
				off: "traces",
				install: `npm install ${name} @opentelemetry/api`,
				error,
			});
			return undefined;
		}
	}
}

/** Creates a function that counts lost spans. It logs only the first loss, so that a long outage of the receiver does not fill the log. */
function createReport(logger: Logger, dropped: Instrument | undefined) {
	let isTold = false;
	return (spans: number, error?: unknown) => {
		dropped?.record(spans);
		if (isTold) return;
		isTold = true;
		logger.warn("spans are dropped", { spans, ...(error !== undefined && { error }) });
	};
}

function toOrigin({ serviceName }: OpenTelemetrySettings, nodeId: string): SpanOrigin {
	return { "service.name": serviceName, "service.instance.id": nodeId, "host.name": hostname() };
}

/** The exporter base of OpenTelemetry, which implements requests, retries and environment variables. */
type Exporting = typeof import("@opentelemetry/otlp-exporter-base/node-http");

interface SpanPostSettings extends Pick<OpenTelemetrySettings, "url" | "headers"> {
	/** Maximum milliseconds for a batch, including retries. */
	readonly exportTimeoutMs: number;
}

/** Sends batches of spans to the receiver. */
interface SpanPost {
	/** Sends a batch. Rejects if that fails. */
	send(batch: SpanBatch): Promise<void>;
	/** Stops sending. Never rejects. */
	stop(): Promise<void>;
}

const component = "otlp_http_json_span_exporter";

/** Creates the sender. It is set up like the trace exporter of OpenTelemetry, but sends spans that are already serialized. */
function createSpanPost(exporting: Exporting, { url, headers, exportTimeoutMs: timeoutMillis }: SpanPostSettings): SpanPost {
	const given = { ...(url !== undefined && { url }), headers: { ...headers }, timeoutMillis };
	const options = exporting.convertLegacyHttpOptions(given, "TRACES", "v1/traces", { "Content-Type": "application/json" });
	// Ignore the body of the response: only the success of the request matters.
	const form = { serializeRequest: (batch: SpanBatch) => batch.finish(), deserializeResponse: () => ({}) };
	const counting = { name: "span" as const, countItems: (batch: SpanBatch) => batch.size };
	const delegate = exporting.createOtlpHttpExportDelegate(options, form, component, counting, undefined);
	return {
		send: (batch) =>
			new Promise((resolve, reject) => {
				delegate.export(batch, ({ code, error }) =>
					code === 0 ? resolve() : reject(error ?? new Error("the receiver refused the spans")),
				);
			}),
		stop: () => delegate.shutdown().catch(() => undefined),
	};
}
