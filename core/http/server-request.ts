import { ServerResponse } from "node:http";

/** A request as the server gives it: that of the web, and where it came from. Without h3's own type, which programs would have to check too. */
export type ServerRequest = Request & {
	/** Address of the client. */
	readonly ip?: string | undefined;
	/** What Node has made of it; absent for a request without a socket. */
	readonly runtime?: { readonly node?: { readonly req: unknown; readonly res?: unknown } | undefined } | undefined;
};

/**
 * Whether nothing that was written as the answer is on its way in this process any more: its memory may be used again. False where that
 * cannot be told.
 */
export function isAllSent(request: ServerRequest): boolean {
	const response = request.runtime?.node?.res;
	// Where a program that the service is mounted in has put something between, such as compression, that may still read.
	if (!(response instanceof ServerResponse) || response.write !== ServerResponse.prototype.write) return false;
	return response.writableLength === 0 && !response.destroyed;
}
