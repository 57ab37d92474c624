import type { IncomingMessage, ServerResponse } from "node:http";

/** Facts about a request that only the server that received it can determine. */
export interface FetchOptions {
	/** Address of the other end of the socket. Default: unknown, and `X-Forwarded-For` is ignored. */
	readonly remoteAddress?: string | undefined;
}

/** Handlers that embed the HTTP interface in the server of another program. */
export interface Mount {
	/** Answers a request. Never rejects. */
	fetch(request: Request, options?: FetchOptions): Promise<Response>;
	/** Answers a request of `node:http` or of a framework that is built on it. */
	nodeHandler(request: IncomingMessage, response: ServerResponse): void;
	/** Answers with 503 from now on and waits up to two seconds for requests in progress. The caller must end the event streams first. */
	stop(): Promise<void>;
}
