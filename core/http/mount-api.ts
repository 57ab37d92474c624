import type { IncomingMessage, ServerResponse } from "node:http";

/** What only the server that took a request knows of it. */
export interface FetchOptions {
	/** Address the request came from: the other end of the socket. Default: unknown, and `X-Forwarded-For` is not believed. */
	readonly remoteAddress?: string | undefined;
}

/** The interface as handlers for the server of somebody else. */
export interface Mount {
	/** Answer a request. Never rejects. */
	fetch(request: Request, options?: FetchOptions): Promise<Response>;
	/** The same for `node:http` and whatever is built on it. */
	nodeHandler(request: IncomingMessage, response: ServerResponse): void;
	/** Answer 503 from now on, and wait a little for what is being answered. Event streams must have ended. */
	stop(): Promise<void>;
}
