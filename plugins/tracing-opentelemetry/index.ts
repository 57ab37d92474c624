import { hostname } from "node:os";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defineTelemetry, type Instrument, type Logger, type PluginContext, type Span, type Telemetry } from "../../core/contract/index.ts";
import { importPackage } from "../_packages/import-package.ts";
import { type OpenTelemetryOptions, type OpenTelemetrySettings, parseOptions } from "./options.ts";
import { type SpanOrigin, toReadableSpan } from "./readable-span.ts";
import { SpanQueue } from "./span-queue.ts";

export type { OpenTelemetryOptions } from "./options.ts";

/** Traces for OpenTelemetry, posted as OTLP. */
export const openTelemetry = defineTelemetry("opentelemetry", (options: OpenTelemetryOptions) => new OpenTelemetry(options));

/** Milliseconds for which a receiver may take a batch, and for which the service waits for it when it stops. */
const patience = 5_000;

export class OpenTelemetry implements Telemetry {
	readonly description = "Traces for OpenTelemetry, posted as OTLP.";
	readonly #options: OpenTelemetryOptions;
	readonly #package: string;
	/** Of 4,294,967,296 values of what traces are chosen by, those below it are. */
	#chosenBelow = 0;
	#queue: SpanQueue | undefined;
	#exporter: OTLPTraceExporter | undefined;

	/** @param name of the package that sends, so that a test can name one that is missing */
	constructor(options: OpenTelemetryOptions, name = "@opentelemetry/exporter-trace-otlp-http") {
		this.#options = options;
		this.#package = name;
	}

	async check(): Promise<void> {
		parseOptions(this.#options, process.env);
	}

	/** Without the package the service works, and sends no traces. */
	async start({ logger, meters, nodeId }: Pick<PluginContext, "logger" | "meters" | "nodeId">): Promise<void> {
		const settings = parseOptions(this.#options, process.env);
		const Exporter = await this.#load(logger);
		if (Exporter === undefined) return;
		const { url, headers } = settings;
		const exporter = new Exporter({ ...(url !== undefined && { url }), headers: { ...headers }, timeoutMillis: patience });
		const dropped = meters?.counter({ name: "svc_spans_dropped_total", help: "Spans that could not be sent." });
		const origin = toOrigin(settings, nodeId);
		this.#chosenBelow = settings.ratio * 0x1_0000_0000;
		this.#exporter = exporter;
		this.#queue = new SpanQueue({
			limit: settings.queue,
			send: (spans) => send(exporter, spans, origin),
			onDropped: createReport(logger, dropped),
		});
	}

	span(span: Span): void {
		this.#queue?.add(span);
	}

	/** By the end of the identifier, as W3C Trace Context has chance there. */
	samples(traceId: string): boolean {
		return Number.parseInt(traceId.slice(-8), 16) < this.#chosenBelow;
	}

	async stop(): Promise<void> {
		const [queue, exporter] = [this.#queue, this.#exporter];
		this.#queue = undefined;
		this.#exporter = undefined;
		let timer: NodeJS.Timeout | undefined;
		// A receiver that takes long must not keep the service from its end.
		await Promise.race([queue?.flush(), new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)))]);
		clearTimeout(timer);
		await exporter?.shutdown().catch(() => undefined);
	}

	async #load(logger: Logger): Promise<typeof OTLPTraceExporter | undefined> {
		const name = this.#package;
		try {
			const loaded = (await importPackage(name, "telemetry opentelemetry")) as typeof import("@opentelemetry/exporter-trace-otlp-http");
			return loaded.OTLPTraceExporter;
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

function send(exporter: OTLPTraceExporter, spans: readonly Span[], origin: SpanOrigin): Promise<void> {
	return new Promise((resolve, reject) => {
		exporter.export(
			spans.map((span) => toReadableSpan(span, origin)),
			({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error("the receiver has refused the spans"))),
		);
	});
}

function toOrigin({ serviceName }: OpenTelemetrySettings, nodeId: string): SpanOrigin {
	const attributes = { "service.name": serviceName, "service.instance.id": nodeId, "host.name": hostname() };
	return { resource: { attributes } as unknown as SpanOrigin["resource"], instrumentationScope: { name: "svc-automation" } };
}
