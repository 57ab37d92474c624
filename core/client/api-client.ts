import { createParser } from "eventsource-parser";
import { isSvcError } from "../contract/index.ts";
import { type Addresses, resolveAddresses } from "./addresses.ts";
import { type ListPage, type ListQuery, toPage } from "./page.ts";
import { type RequestListeners, type RequestOptions, type RequestSender, readJson, request, toUnreachable } from "./request.ts";

/** Addresses of the service, and the credential of requests. */
export interface ClientOptions extends Partial<Addresses>, RequestListeners, RequestSender {
	/** Token from `signIn`. The service refuses requests with both a token and an API key. */
	readonly token?: string | undefined;
	readonly apiKey?: string | undefined;
}

/** Options of a call. The signal aborts it. */
export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
}

/**
 * HTTP calls to the service with the credential of the client. The clients of the features are built on them. Paths start after the
 * version, such as `/rules`.
 */
export interface ApiClient {
	readonly addresses: Addresses;
	/** Returns the unparsed response of the API. */
	call(path: string, init?: RequestOptions): Promise<Response>;
	/** Returns the unparsed response of the authentication component. */
	callAuth(path: string, init?: RequestOptions): Promise<Response>;
	/** Returns the parsed JSON of a response of the API. */
	read<T>(path: string, init?: RequestOptions): Promise<T>;
	/** Returns a page of a list of the API. */
	list<T>(path: string, query?: ListQuery, waiting?: CallOptions): Promise<ListPage<T>>;
	/** Yields the events of one connection to the stream component. `onOpen` is called once the connection is open. */
	events(path: string, init?: RequestOptions, onOpen?: () => void): AsyncIterable<SourceEvent>;
	/** Sends a request without the credential to a full address. */
	send(url: string, init: RequestOptions): Promise<Response>;
}

/** Creates an API client for the service at an address. */
export function createApi(options: ClientOptions = {}): ApiClient {
	const addresses = resolveAddresses(options);
	const headers: Record<string, string> = {
		...(options.token === undefined ? {} : { "x-auth-token": options.token }),
		...(options.apiKey === undefined ? {} : { "svc-api-key": options.apiKey }),
	};
	const send: ApiClient["send"] = (url, init) => request(url, init, options);
	const call: ApiClient["call"] = (path, init = {}) => send(`${addresses.apiUrl}${path}`, { headers, ...init });
	return {
		addresses,
		call,
		callAuth: (path, init = {}) => send(`${addresses.authUrl}${path}`, { headers, ...init }),
		read: async (path, init) => readJson(await call(path, init)),
		list: async (path, query = {}, waiting = {}) => toPage(await call(path, { query, ...waiting })),
		events: (path, init = {}, onOpen) =>
			openEvents(`${addresses.streamUrl}${path}`, { ...init, headers: { ...headers, ...init.headers }, fetch: options.fetch }, onOpen),
		send,
	};
}

/**
 * Milliseconds without data after which a connection counts as dead. The service sends a heartbeat at least every 15 s, so at least two
 * of them are overdue by then.
 */
const silence = 45_000;

/** Yields the events of one connection. Throws `SVC_UNAVAILABLE` if the connection breaks or is silent for too long. */
export async function* openEvents(
	url: string,
	{ fetch, ...options }: RequestOptions & RequestSender,
	onOpen?: () => void,
): AsyncGenerator<SourceEvent> {
	const idle = new AbortController();
	const end = () => idle.abort(new Error("no data arrived on the connection for too long"));
	let timer = setTimeout(end, silence);
	// Browsers have no `timer.refresh()` as Node.js has, so the timer is replaced.
	const onActivity = () => {
		clearTimeout(timer);
		timer = setTimeout(end, silence);
	};
	const signal = options.signal ? AbortSignal.any([options.signal, idle.signal]) : idle.signal;
	try {
		const headers = { accept: "text/event-stream", ...options.headers };
		const response = await request(url, { ...options, headers, signal }, { fetch });
		onOpen?.();
		if (response.body !== null) yield* readEvents(response.body, { onActivity, signal });
	} catch (error) {
		throw isSvcError(error) || options.signal?.aborted ? error : toUnreachable(url, error);
	} finally {
		clearTimeout(timer);
		// Closes the connection if the consumer stops before the end.
		idle.abort();
	}
}

interface SourceEvent {
	readonly name: string;
	readonly data: string;
	/** Value of the last `id:` field received on the connection. Empty if there was none. */
	readonly id: string;
}

interface ReadOptions {
	/** Called for all received data, including comments and heartbeats. */
	readonly onActivity: () => void;
	/** Signal of the request. When it aborts, reading throws its reason. */
	readonly signal: AbortSignal;
}

/** Yields the events of a `text/event-stream` body. Comments and heartbeats yield nothing. */
export async function* readEvents(body: ReadableStream<Uint8Array>, options: ReadOptions): AsyncGenerator<SourceEvent> {
	const events: SourceEvent[] = [];
	let last = "";
	const parser = createParser({
		onEvent({ event = "message", data, id = last }) {
			last = id;
			events.push({ name: event, data, id });
		},
	});
	const decoder = new TextDecoder();
	for await (const piece of readPieces(body, options.signal)) {
		options.onActivity();
		parser.feed(decoder.decode(piece, { stream: true }));
		yield* events.splice(0);
	}
}

/**
 * Yields the chunks of a body. Cancels the reader when the signal aborts: on Node.js 20, a read stays pending forever if the request is
 * aborted just before the end of its body.
 */
async function* readPieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
	signal.addEventListener("abort", cancel, { once: true });
	try {
		for (;;) {
			signal.throwIfAborted();
			const { done, value } = await reader.read();
			if (done) break;
			yield value;
		}
		signal.throwIfAborted();
	} finally {
		signal.removeEventListener("abort", cancel);
		cancel();
	}
}
