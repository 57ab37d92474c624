import { SvcError } from "../../core/contract/index.ts";

export interface OpenTelemetryOptions {
	/**
	 * Address that traces are posted to, `https://collector.example.org/v1/traces`. Default: what `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or
	 * `OTEL_EXPORTER_OTLP_ENDPOINT` says, else `http://localhost:4318/v1/traces`.
	 */
	readonly url?: string;
	/** Headers that are sent along, such as a credential. `OTEL_EXPORTER_OTLP_HEADERS` adds to them. */
	readonly headers?: Readonly<Record<string, string>>;
	/** What the service is called there. Default: `OTEL_SERVICE_NAME`, else `svc`. */
	readonly service_name?: string;
	/**
	 * Share of the traces that begin in the service which are sent, from 0 to 1: each whole or not at all, on every node. A trace that a
	 * caller began is sent where its `traceparent` says so. Default: what `OTEL_TRACES_SAMPLER` says, where that is
	 * `parentbased_traceidratio` with `OTEL_TRACES_SAMPLER_ARG`, or `parentbased_always_off`; else 1.
	 */
	readonly ratio?: number;
	/** Spans that wait to be sent; what comes beyond is dropped and counted. Default 4096. */
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
const mostQueued = 100_000;

/** Throws `SVC_CONFIG` naming the option; never with a header. */
export function parseOptions(given: unknown, env: Readonly<Record<string, string | undefined>>): OpenTelemetrySettings {
	if (!isObject(given)) throw wrong("options: must be an object");
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown !== undefined) throw wrong(`${unknown}: is not allowed; allowed are ${names.join(", ")}`);
	const { url, headers = {}, service_name: serviceName = env["OTEL_SERVICE_NAME"] || "svc", ratio = toRatio(env), queue = 4_096 } = given;
	if (url !== undefined && !isAddress(url)) throw wrong("url: must be an address that begins with http:// or https://");
	if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
		throw wrong("headers: must be an object of texts");
	}
	if (typeof serviceName !== "string" || serviceName === "") throw wrong("service_name: must be a text that is not empty");
	if (typeof ratio !== "number" || !(ratio >= 0 && ratio <= 1)) throw wrong("ratio: must be a number from 0 to 1");
	if (typeof queue !== "number" || !Number.isInteger(queue) || queue < 1 || queue > mostQueued) {
		throw wrong(`queue: must be a whole number from 1 to ${mostQueued}`);
	}
	return { url, headers: headers as Record<string, string>, serviceName, ratio, queue };
}

/** As the variables of the standard have it; samplers that do not go by the flag of a caller are none of ours. */
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
