import type { Server } from "node:http";
import type { Socket } from "node:net";
import { replyFault } from "./replies.ts";
import { endAndReadRest, readRestAfterAnswer } from "./unread-rest.ts";

/** Answers for what Node's parser refuses, by the code of its error; everything else is 400. */
const answers: ReadonlyMap<string | undefined, readonly [status: string, faultstring: string]> = new Map([
	["HPE_HEADER_OVERFLOW", ["431 Request Header Fields Too Large", "request: address and headers are too long"]],
	["HPE_CHUNK_EXTENSIONS_OVERFLOW", ["413 Payload Too Large", "body: chunk extensions are too long"]],
	["ERR_HTTP_REQUEST_TIMEOUT", ["408 Request Timeout", "request: it did not arrive in time"]],
]);
const badRequest = ["400 Bad Request", "request: it is not valid HTTP"] as const;

/** Bytes that are no request do not reach the application; they get the same kind of answer as everything else. */
export function answerBrokenRequests(server: Pick<Server, "on">): void {
	const answered = new WeakSet<Socket>();
	server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
		// The parser fails again with all that follows.
		if (answered.has(socket) && error.code !== "ECONNRESET") return;
		// In the middle of an answer, or after one, another could be taken for a part of it.
		const isFresh = socket.bytesWritten === 0;
		if (!isFresh || !socket.writable || error.code === "ECONNRESET") return socket.destroy();
		const [status, faultstring] = answers.get(error.code) ?? badRequest;
		const { headers, body } = replyFault(400, faultstring);
		const all = { ...headers, "content-length": String(body).length, connection: "close" };
		const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
		const answer = `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${String(body)}`;
		// A client that was too slow has nothing on its way, and gets no more time.
		if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return socket.end(answer, () => socket.destroy());
		answered.add(socket);
		endAndReadRest(socket, answer);
	});
	// Node would answer these itself, with an empty text of no type. A missing Host is seen to with the other things about it.
	Object.assign(server, { requireHostHeader: false });
	server.on("checkExpectation", (request, response) => {
		readRestAfterAnswer(request, response);
		const { headers, body } = replyFault(417, "header Expect: only 100-continue is understood");
		response.writeHead(417, { ...headers, connection: "close" }).end(body);
	});
}
