import type { IncomingMessage, RequestListener } from "node:http";
import { type H3, toNodeHandler } from "h3";
import type { Logger } from "../contract/index.ts";
import { alreadyRead } from "./body-reader.ts";
import { findHostProblem, toHosts } from "./host-header.ts";
import { replyFault } from "./replies.ts";
import { readRestAfterAnswer } from "./unread-rest.ts";

/** Answers a request of `node:http`; resolves when the answer has been sent. Never rejects. */
export type NodeHandler = (...given: Parameters<RequestListener>) => Promise<void>;

/**
 * Node takes the socket from a request whose body was canceled, and listhen then writes to it: without putting it back one
 * large chunked request ends the process. Whatever else fails outside the application must not end it either.
 */
export function createNodeHandler(app: H3, logger: Logger): NodeHandler {
	const handle = toNodeHandler(app);
	return async (request, response) => {
		readRestAfterAnswer(request, response);
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
		if (isRead(request)) {
			logger.error("request failed", { error: alreadyRead });
			return fail(500, alreadyRead);
		}
		try {
			await handle(request, response);
		} catch (error) {
			logger.error("request failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
			fail(400, "Bad Request");
		}
	};
}

/** Whether somebody has taken the body before; waiting for it would be in vain. */
function isRead({ headers, readableDidRead }: IncomingMessage): boolean {
	return readableDidRead && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0);
}
