import { SvcError } from "../../core/contract/index.ts";

export interface OpenTelemetryOptions {
	/**
	 * URL to which traces are sent, `https://collector.example.org/v1/traces`. Default: `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or
	 * `OTEL_EXPORTER_OTLP_ENDPOINT`, otherwise `http://localhost:4318/v1/traces`.
	 */
	readonly url?: string;
	/** Headers of each request, such as a credential. `OTEL_EXPORTER_OTLP_HEADERS` adds to them. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Name of the service in traces. Default: `OTEL_SERVICE_NAME`, otherwise `svc`. */
	readonly service_name?: string;
	/**
	 * Share of the traces started by the service that are sent, from 0 to 1. Each trace is sent completely or not at all, on every node. A
	 * trace started by a caller is sent if its `traceparent` requests it. Default: `OTEL_TRACES_SAMPLER_ARG` if `OTEL_TRACES_SAMPLER` is
	 * `parentbased_traceidratio`, 0 if it is `parentbased_always_off`, otherwise 1.
	 */
	readonly ratio?: number;
	/** Maximum number of waiting spans; further spans are dropped and counted. Default 4096. */
	readonly queue?: number;
}

export interface OpenTelemetrySettings {
	readonly url: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
	readonly serviceName: string;
	readonly ratio: number;
	readonly queue: number;
}

const names = ["url", "headers", "service_name", "ratio", "queue"];
const maxQueued = 100_000;

/** Parses the options. Throws `SVC_CONFIG` with the name of the invalid option, but never with a header. */
export function parseOptions(given: unknown, env: Readonly<Record<string, string | undefined>>): OpenTelemetrySettings {
	if (!isObject(given)) throw wrong("options: must be an object");
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown !== undefined) throw wrong(`${unknown}: is not allowed; allowed are ${names.join(", ")}`);
	const { url, headers = {}, service_name: serviceName = env["OTEL_SERVICE_NAME"] || "svc", ratio = toRatio(env), queue = 4_096 } = given;
	if (url !== undefined && !isAddress(url)) throw wrong("url: must be a URL that begins with http:// or https://");
	if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
		throw wrong("headers: must be an object of strings");
	}
	if (typeof serviceName !== "string" || serviceName === "") throw wrong("service_name: must be a non-empty string");
	if (typeof ratio !== "number" || !(ratio >= 0 && ratio <= 1)) throw wrong("ratio: must be a number from 0 to 1");
	if (typeof queue !== "number" || !Number.isInteger(queue) || queue < 1 || queue > maxQueued) {
		throw wrong(`queue: must be a whole number from 1 to ${maxQueued}`);
	}
	return { url, headers: headers as Record<string, string>, serviceName, ratio, queue };
}

/** Returns the ratio that the standard environment variables define, or 1 if their sampler defines none. */
function toRatio(env: Readonly<Record<string, string | undefined>>): number {
	const sampler = env["OTEL_TRACES_SAMPLER"];
	if (sampler === "parentbased_always_off") return 0;
	const share = env["OTEL_TRACES_SAMPLER_ARG"];
	if (sampler !== "parentbased_traceidratio" || share === undefined || share === "") return 1;
	const ratio = Number(share);
	if (ratio >= 0 && ratio <= 1) return ratio;
	throw wrong("OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1");
}

function isAddress(value: unknown): value is string {
	return typeof value === "string" && URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(message: string): SvcError {
	return new SvcError("SVC_CONFIG", message);
}
