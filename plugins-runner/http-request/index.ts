import { defineRunner, type JsonObject, SvcError, warnIfMissing } from "../../core/contract/index.ts";
import type { HttpRequestOptions } from "./options.ts";
import { httpParameters } from "./parameters.ts";
import { RequestSender } from "./request-sender.ts";

export type { HttpRequestOptions } from "./options.ts";

const defaultTimeout = 60;

/** Sends an HTTP request; the response is the result. */
export const httpRequest = defineRunner("http-request", (options: HttpRequestOptions) => {
	const sender = new RequestSender(options);
	return {
		description: "Sends an HTTP request.",
		parameters: httpParameters,
		capabilities: { cancellation: true },
		outputKey: "body",
		entryPoint: "forbidden",
		check: async () => sender.prepare(),
		async start({ logger }) {
			warnIfMissing({ name: "undici", off: "HTTP requests of actions", resolve: () => import.meta.resolve("undici") }, logger);
			sender.prepare();
		},
		async run(context) {
			const seconds = toSeconds(context.actionParameters);
			const late = new AbortController();
			const timer = seconds > 0 ? setTimeout(() => late.abort(), Math.min(seconds * 1_000, 2_147_483_647)) : undefined;
			try {
				return await sender.send(context, AbortSignal.any([context.signal, late.signal]));
			} catch (error) {
				if (context.signal.aborted) return { succeeded: false, result: { error: "the request was aborted" } };
				if (!late.signal.aborted) throw error;
				return { succeeded: false, status: "timeout", result: { error: `the request did not complete within ${seconds} seconds` } };
			} finally {
				clearTimeout(timer);
			}
		},
	};
});

/**
 * Returns the timeout in seconds. The runner applies it itself, because the service's timeout would end the run without this runner's error
 * message.
 */
function toSeconds({ timeout }: JsonObject): number {
	if (timeout === undefined || timeout === null) return defaultTimeout;
	if (typeof timeout === "number" && timeout >= 0) return timeout;
	throw new SvcError("SVC_RUNNER", "timeout: must be a number of seconds, or 0 for no timeout");
}
