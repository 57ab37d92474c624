import { isSvcError, type ParameterValues, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { createConnections, importUndici, readAuthorities, type Undici } from "./connections.ts";
import { createHostRule } from "./host-rules.ts";
import type { HttpRequestOptions } from "./options.ts";
import type { httpParameters } from "./parameters.ts";
import { assertPublicHost } from "./private-addresses.ts";
import { createRequest } from "./request.ts";
import { readResponseBody } from "./response-body.ts";
import { findHeader, sendWithRedirects } from "./send-with-redirects.ts";

type HttpParameters = ParameterValues<typeof httpParameters>;

const defaultMaxResponseBody = 1_048_576;

/** Sends the requests of runs and converts the responses to results. */
export class RequestSender {
	readonly #options: HttpRequestOptions;
	#authorities: readonly string[] | undefined;
	#loading: Promise<Undici> | undefined;

	constructor(options: HttpRequestOptions) {
		this.#options = options;
	}

	/** Reads `ca_file`; must be called before the first request. Throws `SVC_CONFIG` if the file cannot be read. */
	prepare(): void {
		this.#authorities = readAuthorities(this.#options.ca_file);
	}

	async send(context: RunContext<typeof httpParameters>, signal: AbortSignal): Promise<RunResult> {
		// Load undici at the first use, so that a service that sends no requests does not need it.
		this.#loading ??= importUndici();
		const undici = await this.#loading;
		const { runnerParameters } = context;
		const options = this.#options;
		const publicOnly = options.allow_private_addresses === false || !runnerParameters.svc_allow_private_addresses;
		if (publicOnly) assertNoProxy(runnerParameters);
		const assertHost = createHostRule(runnerParameters);
		const request = await createRequest({
			runnerParameters,
			actionParameters: context.actionParameters,
			actionRef: context.action_ref,
			traceparent: context.environment["TRACEPARENT"],
			fileRoots: [...(context.packDirectory === undefined ? [] : [context.packDirectory]), ...(options.file_roots ?? [])],
		});
		const connections = createConnections(undici, {
			verify: runnerParameters.verify_ssl_cert,
			publicOnly,
			authorities: this.#authorities,
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
			const answer = await sendWithRedirects(request, { undici, connections, signal, followRedirects, assertAllowed });
			const body = await readResponseBody(answer.body, {
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
}

/** Refuses a proxy, because a proxy resolves names itself and the resolved addresses could not be checked. */
function assertNoProxy({ http_proxy, https_proxy }: HttpParameters): void {
	if (!http_proxy && !https_proxy) return;
	throw new SvcError("SVC_RUNNER", "http_proxy, https_proxy: cannot be used while private addresses are not allowed");
}

/** Returns an error with the host of the request and the reason. It contains no other part of the request. */
function toRequestFailure(error: unknown, url: URL): SvcError {
	const cause = innermost(error);
	if (isSvcError(cause)) return cause;
	return new SvcError("SVC_RUNNER", `request to ${url.protocol}//${url.host} failed: ${describe(cause)}`, { cause: error });
}

/** Returns the cause to report. If a name has several addresses, the error has one cause for each and no message. */
function innermost(error: unknown): unknown {
	if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
	if (error instanceof Error && isSvcError(error.cause)) return error.cause;
	return error;
}

function describe(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const code = "code" in error && typeof error.code === "string" && !error.message.includes(error.code) ? ` (${error.code})` : "";
	return `${error.message || error.name}${code}`;
}
