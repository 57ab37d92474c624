import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { replyFault } from "./respond.ts";

/** Answers for what Node's parser refuses, by the code of its error; everything else is 400. */
const answers: ReadonlyMap<string | undefined, readonly [status: string, faultstring: string]> = new Map([
	["HPE_HEADER_OVERFLOW", ["431 Request Header Fields Too Large", "request: address and headers are too long"]],
	["HPE_CHUNK_EXTENSIONS_OVERFLOW", ["413 Payload Too Large", "body: chunk extensions are too long"]],
	["ERR_HTTP_REQUEST_TIMEOUT", ["408 Request Timeout", "request: it did not arrive in time"]],
]);
const badRequest = ["400 Bad Request", "request: it is not valid HTTP"] as const;

/** Bytes that are no request do not reach the application; they get the same kind of answer as everything else. */
export function answerBrokenRequests(server: Pick<Server, "on">): void {
	server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
		// In the middle of an answer, or after one, another could be taken for a part of it.
		const isFresh = "bytesWritten" in socket && socket.bytesWritten === 0;
		if (!isFresh || !socket.writable || error.code === "ECONNRESET") return socket.destroy();
		const [status, faultstring] = answers.get(error.code) ?? badRequest;
		const { headers, body } = replyFault(400, faultstring);
		const all = { ...headers, "content-length": String(body).length, connection: "close" };
		const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
		socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${String(body)}`, () => socket.destroy());
	});
	// Node would answer these itself, with an empty text of no type. A missing Host is seen to with the other things about it.
	Object.assign(server, { requireHostHeader: false });
	server.on("checkExpectation", (_request, response) => {
		const { headers, body } = replyFault(417, "header Expect: only 100-continue is understood");
		response.writeHead(417, { ...headers, connection: "close" }).end(body);
	});
}
