import type { IncomingMessage, RequestListener } from "node:http";
import { type H3, toNodeHandler } from "h3";
import type { Logger } from "../contract/index.ts";
import { bodyAlreadyReadMessage } from "./body-reader.ts";
import { drainAfterResponse } from "./drain-request.ts";
import { findHostProblem, toHosts } from "./host-header.ts";
import { replyFault } from "./replies.ts";

/** Answers a request of `node:http`. Resolves when the response has been sent. Never rejects. */
export type NodeHandler = (...args: Parameters<RequestListener>) => Promise<void>;

/**
 * Creates a handler for `node:http` that cannot end the process, regardless of the request.
 *
 * Node detaches the socket from a request whose body was canceled, and listhen then uses the missing socket. Without `drainAfterResponse`,
 * which attaches the socket again, one large chunked request would end the process. All errors outside the application are answered or
 * logged here.
 */
export function createNodeHandler(app: H3, logger: Logger): NodeHandler {
	const handle = toNodeHandler(app);
	return async (request, response) => {
		drainAfterResponse(request, response);
		const fail = (status: number, faultstring: string) => {
			const { headers, body } = replyFault(status, faultstring);
			if (!response.headersSent) response.writeHead(status, headers).end(body);
			else response.destroy();
		};
		const hostProblem = findHostProblem(toHosts(request.rawHeaders), { isNeeded: request.httpVersion === "1.1" });
		if (hostProblem !== undefined) {
			response.shouldKeepAlive = false;
			return fail(400, hostProblem);
		}
		if (isBodyRead(request)) {
			logger.error("request failed", { error: bodyAlreadyReadMessage });
			return fail(500, bodyAlreadyReadMessage);
		}
		try {
			await handle(request, response);
		} catch (error) {
			logger.error("request failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
			fail(400, "Bad Request");
		}
	};
}

/** Returns true if the embedding program has already read the body. Waiting for the body would never end. */
function isBodyRead({ headers, readableDidRead }: IncomingMessage): boolean {
	return readableDidRead && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0);
}
