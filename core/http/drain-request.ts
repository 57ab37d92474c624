import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Maximum number of bytes that are read after an early response. */
const maxRestBytes = 64 * 1024 * 1024;
/** Maximum milliseconds for which the connection is read after an early response. */
const maxRestMs = 30_000;
/** Maximum milliseconds without data from the client during that time. */
const maxIdleMs = 5_000;

/**
 * Reads and discards the rest of a request that is answered before it has arrived, such as with 401 or 413. At most 64 MiB are
 * read, for at most 30 s, with pauses of at most 5 s. Must be called before the response is written.
 *
 * Closing the connection at once would reset it. A client that writes its whole request before it reads would then lose the
 * response.
 */
export function drainAfterResponse(request: IncomingMessage, response: ServerResponse): void {
	const { socket } = request;
	// This listener must run before the one with which Node closes the connection.
	response.prependOnceListener("finish", () => {
		// Node detaches the socket from a request whose body was canceled. listhen then uses the missing socket, which would end the process.
		(request as { socket: Socket | null }).socket ??= socket;
		if (!request.complete && !request.destroyed && !socket.destroyed) readRest(request, socket);
	});
}

function readRest(request: IncomingMessage, socket: Socket): void {
	const restLimit = limitRest(socket);
	let isLastResponse = false;
	const finish = () => {
		restLimit.end();
		Reflect.deleteProperty(socket, "destroySoon");
		if (isLastResponse) socket.destroySoon();
	};
	// Node calls `destroySoon` after the last response of a connection. Instead, only the sending direction is closed: the client sees the end
	// of the response, and its data is still read.
	const halfClose = () => {
		isLastResponse = true;
		socket.end();
	};
	socket.destroySoon = halfClose;
	request.on("data", restLimit.count).once("end", finish).once("close", finish).resume();
	// Marks the request as read. Node would remove the data listener of a request that was never read.
	request.read(0);
}

/**
 * Sends the last response of a connection whose HTTP parser has failed. Then reads and discards the rest within the limits of
 * `drainAfterResponse`.
 */
export function endAndDrain(socket: Socket, answer: string): void {
	const restLimit = limitRest(socket);
	socket
		.on("data", restLimit.count)
		.once("close", restLimit.end)
		.once("end", () => socket.destroy());
	socket.end(answer);
}

/** Destroys a socket when the limits for reading the rest are exceeded. Returns functions that count a chunk and that end the limit. */
function limitRest(socket: Socket) {
	let size = 0;
	const destroy = () => void socket.destroy();
	const totalTimer = setTimeout(destroy, maxRestMs).unref();
	const idleTimer = setTimeout(destroy, maxIdleMs).unref();
	return {
		count(chunk: Buffer): void {
			size += chunk.length;
			idleTimer.refresh();
			if (size > maxRestBytes) destroy();
		},
		end(): void {
			clearTimeout(totalTimer);
			clearTimeout(idleTimer);
		},
	};
}
