import { createParser } from "eventsource-parser";
import { isSvcError } from "../contract/index.ts";
import { type Addresses, resolveAddresses } from "./addresses.ts";
import { type ListPage, type ListQuery, toPage } from "./page.ts";
import { type RequestListener, type RequestOptions, readJson, request, toUnreachable, type WarningListener } from "./request.ts";

/** Where the service is, and the credential that requests carry. */
export interface ClientOptions extends Partial<Addresses> {
	/** From `signIn`. Only one of token and API key may be given. */
	readonly token?: string | undefined;
	readonly apiKey?: string | undefined;
	readonly onRequest?: RequestListener | undefined;
	readonly onWarning?: WarningListener | undefined;
}

/** What every call may be given. */
export interface Waiting {
	readonly signal?: AbortSignal | undefined;
}

/** How the part of a feature in the client calls the service, with its credential: paths begin behind the version, as in `/rules`. */
export interface Api {
	readonly addresses: Addresses;
	/** An answer of the API as it is. */
	call(path: string, init?: RequestOptions): Promise<Response>;
	/** An answer of the authentication component as it is. */
	callAuth(path: string, init?: RequestOptions): Promise<Response>;
	/** A record of the API. */
	read<T>(path: string, init?: RequestOptions): Promise<T>;
	/** A page of a list of the API. */
	list<T>(path: string, query?: ListQuery, waiting?: Waiting): Promise<ListPage<T>>;
	/** Events of one connection to the stream component; `onOpen` is called once it is there. */
	events(path: string, init?: RequestOptions, onOpen?: () => void): AsyncIterable<SourceEvent>;
	/** Ask without the credential, at a whole address. */
	send(url: string, init: RequestOptions): Promise<Response>;
}

/** The calls of a client of the service at an address. */
export function createApi(options: ClientOptions = {}): Api {
	const addresses = resolveAddresses(options);
	const headers: Record<string, string> = {
		...(options.token === undefined ? {} : { "x-auth-token": options.token }),
		...(options.apiKey === undefined ? {} : { "svc-api-key": options.apiKey }),
	};
	const send: Api["send"] = (url, init) => request(url, init, options);
	const call: Api["call"] = (path, init = {}) => send(`${addresses.apiUrl}${path}`, { headers, ...init });
	return {
		addresses,
		call,
		callAuth: (path, init = {}) => send(`${addresses.authUrl}${path}`, { headers, ...init }),
		read: async (path, init) => readJson(await call(path, init)),
		list: async (path, query = {}, waiting = {}) => toPage(await call(path, { query, ...waiting })),
		events: (path, init = {}, onOpen) =>
			openEvents(`${addresses.streamUrl}${path}`, { ...init, headers: { ...headers, ...init.headers } }, onOpen),
		send,
	};
}

/** The service sends something at least every 15 s; three times that without a byte means that the connection is dead. */
const silence = 45_000;

/** Events of one connection. A break of the connection, or a long silence, is `SVC_UNAVAILABLE`. */
export async function* openEvents(url: string, options: RequestOptions, onOpen?: () => void): AsyncGenerator<SourceEvent> {
	const idle = new AbortController();
	const end = () => idle.abort(new Error("the connection has gone silent"));
	let timer = setTimeout(end, silence);
	// Browsers have no timer that begins anew.
	const onActivity = () => {
		clearTimeout(timer);
		timer = setTimeout(end, silence);
	};
	const signal = options.signal ? AbortSignal.any([options.signal, idle.signal]) : idle.signal;
	try {
		const response = await request(url, { ...options, headers: { accept: "text/event-stream", ...options.headers }, signal });
		onOpen?.();
		if (response.body !== null) yield* readEvents(response.body, { onActivity, signal });
	} catch (error) {
		throw isSvcError(error) || options.signal?.aborted ? error : toUnreachable(url, error);
	} finally {
		clearTimeout(timer);
		// Closes the connection when the reader has left before the end.
		idle.abort();
	}
}

interface SourceEvent {
	readonly name: string;
	readonly data: string;
	/** Last `id:` seen so far; empty while there was none. */
	readonly id: string;
}

interface ReadOptions {
	/** Called for whatever arrives, comments and heartbeats included. */
	readonly onActivity: () => void;
	/** The one the request was made with: its abort ends the reading with its reason. */
	readonly signal: AbortSignal;
}

/** Events of a `text/event-stream` body. Comments and heartbeats give nothing. */
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

/** On Node 20 a reading stays pending for ever when the request is aborted just before the end of its body: it is canceled here. */
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
