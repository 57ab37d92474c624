import type { Server } from "node:http";
import type { Socket } from "node:net";
import { drainAfterResponse, endAndDrain } from "./drain-request.ts";
import { replyFault } from "./replies.ts";

/** Responses to requests that Node's parser refuses, by error code. All other errors are answered with 400. */
const answers: ReadonlyMap<string | undefined, readonly [status: string, faultstring: string]> = new Map([
	["HPE_HEADER_OVERFLOW", ["431 Request Header Fields Too Large", "request: address and headers are too long"]],
	["HPE_CHUNK_EXTENSIONS_OVERFLOW", ["413 Payload Too Large", "body: chunk extensions are too long"]],
	["ERR_HTTP_REQUEST_TIMEOUT", ["408 Request Timeout", "request: it did not arrive in time"]],
]);
const badRequest = ["400 Bad Request", "request: it is not valid HTTP"] as const;

/** Answers malformed requests, which do not reach the application, with an error body like that of all other errors. */
export function answerMalformedRequests(server: Pick<Server, "on">): void {
	const answeredSockets = new WeakSet<Socket>();
	server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
		// The parser fails again for all further bytes of the socket.
		if (answeredSockets.has(socket) && error.code !== "ECONNRESET") return;
		// During or after a response, the client could take a second one for a part of the first.
		const isUnanswered = socket.bytesWritten === 0;
		if (!isUnanswered || !socket.writable || error.code === "ECONNRESET") return socket.destroy();
		const [status, faultstring] = answers.get(error.code) ?? badRequest;
		const { headers, body } = replyFault(400, faultstring);
		const responseHeaders = { ...headers, "content-length": String(body).length, connection: "close" };
		const lines = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
		const answer = `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${String(body)}`;
		// A client that was too slow gets no more time: nothing of its request is in transit.
		if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return socket.end(answer, () => socket.destroy());
		answeredSockets.add(socket);
		endAndDrain(socket, answer);
	});
	// Node would answer these requests itself, with an empty body. A missing `Host` is checked by `findHostProblem` instead.
	Object.assign(server, { requireHostHeader: false });
	server.on("checkExpectation", (request, response) => {
		drainAfterResponse(request, response);
		const { headers, body } = replyFault(417, "header Expect: only 100-continue is understood");
		response.writeHead(417, { ...headers, connection: "close" }).end(body);
	});
}
