import { type Addresses, resolveAddresses } from "./addresses.ts";
import type { SourceEvent } from "./event-source.ts";
import { openEvents } from "./open-events.ts";
import { type ListPage, type ListQuery, toPage } from "./page.ts";
import { type RequestListener, type RequestOptions, readJson, request, type WarningListener } from "./request.ts";

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
