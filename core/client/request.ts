import { parseJson, SvcError, type SvcErrorCode, stringifyJson, toErrorMessage } from "../contract/index.ts";

export interface RequestOptions {
	readonly method?: "GET" | "POST" | "PUT" | "DELETE";
	readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
	readonly headers?: Readonly<Record<string, string>>;
	/** Body that is sent as JSON. */
	readonly body?: unknown;
	/** Plain text that is sent instead of `body`. */
	readonly text?: string;
	readonly signal?: AbortSignal | undefined;
}

/** Called with each request before it is sent, for debugging. The headers, which hold the credential, are not passed. */
export type RequestListener = (method: string, url: string, body: unknown) => void;

const codes: Readonly<Record<number, SvcErrorCode>> = {
	401: "SVC_UNAUTHORIZED",
	403: "SVC_FORBIDDEN",
	404: "SVC_NOT_FOUND",
	409: "SVC_CONFLICT",
	413: "SVC_TOO_LARGE",
	415: "SVC_UNSUPPORTED",
	429: "SVC_TOO_MANY",
};

/** Called with the `svc-warning` header of a successful response, for example about members of a body that the service ignores. */
export type WarningListener = (text: string) => void;

export interface RequestListeners {
	readonly onRequest?: RequestListener | undefined;
	readonly onWarning?: WarningListener | undefined;
}

export interface RequestSender {
	/** Sends the requests, for example with another list of trusted certificate authorities. Default: the global `fetch`. */
	readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Sends a request. Resolves only for a success status; otherwise throws a `SvcError` with the message of the service. */
export async function request(
	url: string,
	options: RequestOptions,
	{ onRequest, onWarning, fetch = globalThis.fetch }: RequestListeners & RequestSender = {},
): Promise<Response> {
	const method = options.method ?? "GET";
	const address = withQuery(url, options.query ?? {});
	onRequest?.(method, address, options.text ?? options.body);
	const { type, body } = toBody(options);
	const response = await send(fetch, address, {
		method,
		headers: { ...(type === undefined ? {} : { "content-type": type }), ...options.headers },
		...(body === undefined ? {} : { body }),
		signal: options.signal ?? null,
	});
	const warning = response.headers.get("svc-warning");
	if (warning !== null && response.ok) onWarning?.(warning);
	if (response.ok) return response;
	throw await toError(response);
}

function toBody({ text, body }: RequestOptions): { readonly type?: string; readonly body?: string } {
	if (text !== undefined) return { type: "text/plain; charset=utf-8", body: text };
	return body === undefined ? {} : { type: "application/json", body: stringifyJson(body) };
}

/**
 * Parses the JSON of a response. Throws `SVC_UNAVAILABLE` if the body is not JSON: the address is then probably not that of the service.
 */
export async function readJson<T>(response: Response): Promise<T> {
	const text = await response.text().catch((error: unknown) => {
		throw toUnreachable(response.url, error);
	});
	try {
		return parseJson(text) as T;
	} catch (cause) {
		const { origin } = new URL(response.url);
		throw new SvcError("SVC_UNAVAILABLE", `the response from ${origin} is not JSON: is this the address of the service?`, { cause });
	}
}

function withQuery(url: string, query: NonNullable<RequestOptions["query"]>): string {
	const given = Object.entries(query).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined);
	return given.length === 0 ? url : `${url}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

async function send(fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<Response> {
	try {
		return await fetch(url, init);
	} catch (error) {
		if (init.signal?.aborted) throw init.signal.reason;
		throw toUnreachable(url, error);
	}
}

/** Converts a connection failure, before or during the response, to `SVC_UNAVAILABLE`. */
export function toUnreachable(url: string, error: unknown): SvcError {
	const { origin } = new URL(url);
	return new SvcError("SVC_UNAVAILABLE", `cannot reach the service at ${origin}: ${reasonOf(error)}`, {
		cause: error,
		facts: { address: origin },
	});
}

function reasonOf(error: unknown): string {
	// The message of fetch is only "fetch failed". Its cause has the reason, and may contain one error for each address tried.
	const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
	const first = cause instanceof AggregateError ? cause.errors[0] : cause;
	// The message of OpenSSL is a line of its log, with the reason in the middle.
	const isTls = first instanceof Error && "code" in first && String(first.code).startsWith("ERR_SSL_");
	return isTls && "reason" in first ? String(first.reason) : toErrorMessage(first);
}

async function toError(response: Response): Promise<SvcError> {
	const text = await response.text().catch(() => "");
	const code = codes[response.status] ?? (response.status >= 500 ? "SVC_UNAVAILABLE" : "SVC_INVALID");
	const retryAfter = response.headers.get("retry-after");
	const facts = { status: response.status, ...(retryAfter === null ? {} : { retry_after: Number(retryAfter) }) };
	return new SvcError(code, faultOf(text) ?? (text.slice(0, 500) || `the service answered with status ${response.status}`), { facts });
}

/** Returns the `faultstring` of a response, or undefined if there is none. */
export function faultOf(text: string): string | undefined {
	try {
		const body: unknown = parseJson(text);
		const fault = typeof body === "object" && body !== null && "faultstring" in body ? body.faultstring : undefined;
		return typeof fault === "string" ? fault : undefined;
	} catch {
		return undefined;
	}
}
