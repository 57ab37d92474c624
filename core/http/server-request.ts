import { ServerResponse } from "node:http";

/**
 * A web `Request` with the members that the server adds. It does not use the type of h3, because the compilers of embedding
 * programs would have to check that as well.
 */
export type ServerRequest = Request & {
	/** Address of the client. */
	readonly ip?: string | undefined;
	/** Request and response objects of Node. Absent for a request without a socket. */
	readonly runtime?: { readonly node?: { readonly req: unknown; readonly res?: unknown } | undefined } | undefined;
};

/**
 * Returns true if this process no longer holds bytes of the response, so that their memory may be reused. Returns false if that cannot be
 * determined: reusing the memory of unsent bytes would corrupt the response.
 */
export function isResponseSent(request: ServerRequest): boolean {
	const response = request.runtime?.node?.res;
	// An embedding program may have replaced `write`, for example to compress. Its code may still read the bytes.
	if (!(response instanceof ServerResponse) || response.write !== ServerResponse.prototype.write) return false;
	return response.writableLength === 0 && !response.destroyed;
}
