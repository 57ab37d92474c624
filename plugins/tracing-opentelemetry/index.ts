import { hostname } from "node:os";
import { defineTelemetry, type Instrument, type Logger, type PluginContext, type Span, type Telemetry } from "../../core/contract/index.ts";
import { importPackage } from "../_packages/import-package.ts";
import { type OpenTelemetryOptions, type OpenTelemetrySettings, parseOptions } from "./options.ts";
import { SpanBatch, type SpanOrigin } from "./span-batch.ts";
import { SpanQueue } from "./span-queue.ts";

export type { OpenTelemetryOptions } from "./options.ts";

/** Traces for OpenTelemetry, posted as OTLP. */
export const openTelemetry = defineTelemetry("opentelemetry", (options: OpenTelemetryOptions) => new OpenTelemetry(options));

/** Milliseconds for which a receiver may take a batch, and for which the service waits for it when it stops. */
const patience = 5_000;
/** How many values there are of what traces are chosen by, eight hexadecimal digits. */
const allValues = 0x1_0000_0000;

export class OpenTelemetry implements Telemetry {
	readonly description = "Traces for OpenTelemetry, posted as OTLP.";
	readonly #options: OpenTelemetryOptions;
	readonly #package: string;
	/** Of all values of what traces are chosen by, those below it are. */
	#chosenBelow = 0;
	#queue: SpanQueue | undefined;
	#post: SpanPost | undefined;

	/** @param name of the package that sends, so that a test can name one that is missing */
	constructor(options: OpenTelemetryOptions, name = "@opentelemetry/otlp-exporter-base") {
		this.#options = options;
		this.#package = name;
	}

	async check(): Promise<void> {
		parseOptions(this.#options, process.env);
	}

	/** Without the package the service works, and sends no traces. */
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

	/** By the end of the identifier, as W3C Trace Context has chance there. */
	samples(traceId: string): boolean {
		return this.#chosenBelow === allValues || Number.parseInt(traceId.slice(-8), 16) < this.#chosenBelow;
	}

	async stop(): Promise<void> {
		const [queue, post] = [this.#queue, this.#post];
		this.#queue = undefined;
		this.#post = undefined;
		let timer: NodeJS.Timeout | undefined;
		// A receiver that takes long must not keep the service from its end.
		await Promise.race([queue?.flush(), new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)))]);
		clearTimeout(timer);
		await post?.stop();
	}

	async #createPost(settings: OpenTelemetrySettings, logger: Logger): Promise<SpanPost | undefined> {
		const name = this.#package;
		try {
			const exporting = (await importPackage(`${name}/node-http`, "telemetry opentelemetry")) as Exporting;
			return createSpanPost(exporting, { ...settings, patience });
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

/** Counts what could not be sent, and says so once: a receiver that is away for long must not fill the log. */
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

/** What exporters of OpenTelemetry are made of: requests, tries again, and what variables of the environment say about them. */
type Exporting = typeof import("@opentelemetry/otlp-exporter-base/node-http");

interface SpanPostSettings extends Pick<OpenTelemetrySettings, "url" | "headers"> {
	/** Milliseconds for which a receiver may take a batch, tries again included. */
	readonly patience: number;
}

/** Posts batches to a receiver. */
interface SpanPost {
	/** Rejects where that failed. */
	send(batch: SpanBatch): Promise<void>;
	/** Never rejects. */
	stop(): Promise<void>;
}

const component = "otlp_http_json_span_exporter";

/** As the exporter for traces of OpenTelemetry does it, for spans that are in the form of requests already. */
function createSpanPost(exporting: Exporting, { url, headers, patience: timeoutMillis }: SpanPostSettings): SpanPost {
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
