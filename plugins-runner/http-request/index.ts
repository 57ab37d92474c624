import {
	defineRunner,
	type JsonObject,
	type ParameterValues,
	type RunContext,
	type RunResult,
	SvcError,
	warnIfMissing,
} from "../../core/contract/index.ts";
import { readAnswerBody } from "./answer-body.ts";
import { createConnections, importUndici, readAuthorities, type Undici } from "./connections.ts";
import { exchange, findHeader } from "./exchange.ts";
import { toRequestFailure } from "./failure.ts";
import { createHostRule } from "./host-rules.ts";
import { httpParameters } from "./parameters.ts";
import { assertPublicHost } from "./private-addresses.ts";
import { createRequest } from "./request.ts";

export interface HttpRequestOptions {
	/** Most bytes of an answer's body that are kept. Default 1 MiB. */
	readonly max_response_body?: number;
	/** Whether loopback, private and link-local addresses may be asked. An action may forbid it, never allow it. Default true. */
	readonly allow_private_addresses?: boolean;
	/** File with certificates (PEM) of authorities to trust besides those that Node knows. */
	readonly ca_file?: string;
	/** Directories that `file_path` may lie in besides the action's pack. Default none. */
	readonly file_roots?: readonly string[];
}

type HttpContext = RunContext<typeof httpParameters>;
type HttpParameters = ParameterValues<typeof httpParameters>;

const defaultMaxResponseBody = 1_048_576;
const defaultTimeout = 60;

/** Sends an HTTP request; the answer is the result. */
export const httpRequest = defineRunner("http-request", (options: HttpRequestOptions) => {
	let authorities: readonly string[] | undefined;
	let loading: Promise<Undici> | undefined;

	async function ask(context: HttpContext, signal: AbortSignal): Promise<RunResult> {
		// At the first use: a service that sends no requests need not have the package.
		loading ??= importUndici();
		const undici = await loading;
		const { runnerParameters } = context;
		const publicOnly = options.allow_private_addresses === false || !runnerParameters.allow_private_addresses;
		if (publicOnly) assertNoProxy(runnerParameters);
		const assertHost = createHostRule(runnerParameters);
		const request = await createRequest({
			runnerParameters,
			actionParameters: context.actionParameters,
			actionRef: context.action_ref,
			fileRoots: [...(context.packDirectory === undefined ? [] : [context.packDirectory]), ...(options.file_roots ?? [])],
		});
		const connections = createConnections(undici, {
			verify: runnerParameters.verify_ssl_cert,
			publicOnly,
			authorities,
			httpProxy: runnerParameters.http_proxy,
			httpsProxy: runnerParameters.https_proxy,
		});
		let asked = request.url;
		const assertAllowed = (url: URL) => {
			asked = url;
			assertHost(url);
			if (publicOnly) assertPublicHost(url);
		};
		try {
			const followRedirects = runnerParameters.allow_redirects;
			const answer = await exchange(request, { undici, connections, signal, followRedirects, assertAllowed });
			const body = await readAnswerBody(answer.body, {
				contentType: findHeader(answer.headers, "content-type") ?? "",
				contentEncoding: findHeader(answer.headers, "content-encoding") ?? "",
				limit: options.max_response_body ?? defaultMaxResponseBody,
			});
			const succeeded = answer.status >= 200 && answer.status <= 206;
			return { succeeded, result: { status_code: answer.status, ...body, headers: answer.headers } };
		} catch (error) {
			throw toRequestFailure(error, asked);
		} finally {
			await connections.close();
		}
	}

	return {
		description: "Sends an HTTP request.",
		parameters: httpParameters,
		capabilities: { cancellation: true },
		outputKey: "body",
		entryPoint: "forbidden",
		async start({ logger }) {
			warnIfMissing({ name: "undici", off: "HTTP requests of actions", resolve: () => import.meta.resolve("undici") }, logger);
			authorities = readAuthorities(options.ca_file);
		},
		async run(context) {
			const seconds = toSeconds(context.actionParameters);
			const late = new AbortController();
			const timer = seconds > 0 ? setTimeout(() => late.abort(), Math.min(seconds * 1_000, 2_147_483_647)) : undefined;
			try {
				return await ask(context, AbortSignal.any([context.signal, late.signal]));
			} catch (error) {
				if (context.signal.aborted) return { succeeded: false, result: { error: "the request was ended" } };
				if (!late.signal.aborted) throw error;
				return { succeeded: false, status: "timeout", result: { error: `the request did not end within ${seconds} seconds` } };
			} finally {
				clearTimeout(timer);
			}
		},
	};
});

/** Not left to the host: its time-out would end the run without a word of its own. */
function toSeconds({ timeout }: JsonObject): number {
	if (timeout === undefined || timeout === null) return defaultTimeout;
	if (typeof timeout === "number" && timeout >= 0) return timeout;
	throw new SvcError("SVC_RUNNER", "timeout: must be a number of seconds, or 0 for none");
}

/** A proxy looks names up itself: where it connects to could not be checked. */
function assertNoProxy({ http_proxy, https_proxy }: HttpParameters): void {
	if (!http_proxy && !https_proxy) return;
	throw new SvcError("SVC_RUNNER", "http_proxy, https_proxy: cannot be used while private addresses are not allowed");
}
