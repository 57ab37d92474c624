import { isSvcError, type ParameterValues, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { readAnswerBody } from "./answer-body.ts";
import { createConnections, importUndici, readAuthorities, type Undici } from "./connections.ts";
import { exchange, findHeader } from "./exchange.ts";
import { createHostRule } from "./host-rules.ts";
import type { HttpRequestOptions } from "./options.ts";
import type { httpParameters } from "./parameters.ts";
import { assertPublicHost } from "./private-addresses.ts";
import { createRequest } from "./request.ts";

type HttpParameters = ParameterValues<typeof httpParameters>;

const defaultMaxResponseBody = 1_048_576;

/** Sends the requests of runs, and makes their results of the answers. */
export class RequestSender {
	readonly #options: HttpRequestOptions;
	#authorities: readonly string[] | undefined;
	#loading: Promise<Undici> | undefined;

	constructor(options: HttpRequestOptions) {
		this.#options = options;
	}

	/** Before the first request. `SVC_CONFIG` when `ca_file` cannot be read. */
	prepare(): void {
		this.#authorities = readAuthorities(this.#options.ca_file);
	}

	async send(context: RunContext<typeof httpParameters>, signal: AbortSignal): Promise<RunResult> {
		// At the first use: a service that sends no requests need not have the package.
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
}

/** A proxy looks names up itself: where it connects to could not be checked. */
function assertNoProxy({ http_proxy, https_proxy }: HttpParameters): void {
	if (!http_proxy && !https_proxy) return;
	throw new SvcError("SVC_RUNNER", "http_proxy, https_proxy: cannot be used while private addresses are not allowed");
}

/** What went wrong with a request, in words that name its host and hold nothing else of it. */
function toRequestFailure(error: unknown, url: URL): SvcError {
	const cause = innermost(error);
	if (isSvcError(cause)) return cause;
	return new SvcError("SVC_RUNNER", `request to ${url.protocol}//${url.host} failed: ${describe(cause)}`, { cause: error });
}

/** A name with several addresses fails with an error for each, and no text of its own. */
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
