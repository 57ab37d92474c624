import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Most bytes that are read after an early answer. */
const maxBytes = 64 * 1024 * 1024;
const maxMilliseconds = 30_000;
/** Longest pause of the client in that time. */
const maxIdleMilliseconds = 5_000;

/**
 * Makes the connection read, and throw away, what a client still sends of a request that is answered early, such as with 401 or 413;
 * bounded in bytes and time. Closing the connection at once would reset it, and a client that writes everything before it reads would
 * lose the answer. Must be called before the answer is written.
 */
export function readRestAfterAnswer(request: IncomingMessage, response: ServerResponse): void {
	const { socket } = request;
	// Before the listener with which Node closes the connection.
	response.prependOnceListener("finish", () => {
		// Node takes the socket from a request whose body was canceled, and listhen then writes to it.
		(request as { socket: Socket | null }).socket ??= socket;
		if (!request.complete && !request.destroyed && !socket.destroyed) readRest(request, socket);
	});
}

function readRest(request: IncomingMessage, socket: Socket): void {
	const rest = boundRest(socket);
	let isLast = false;
	const settle = () => {
		rest.end();
		Reflect.deleteProperty(socket, "destroySoon");
		if (isLast) socket.destroySoon();
	};
	// Node calls this after the last answer of a connection: the client sees the end of the answer, and what it sends is still read.
	const halfClose = () => {
		isLast = true;
		socket.end();
	};
	socket.destroySoon = halfClose;
	request.on("data", rest.count).once("end", settle).once("close", settle).resume();
	// Node removes the listener of a request that the service has not begun to read.
	request.read(0);
}

/** Sends the last answer of a connection whose parser has failed, and reads on as `readRestAfterAnswer` does. */
export function endAndReadRest(socket: Socket, answer: string): void {
	const rest = boundRest(socket);
	socket
		.on("data", rest.count)
		.once("close", rest.end)
		.once("end", () => socket.destroy());
	socket.end(answer);
}

/** Destroys a socket when more is counted than may be read after an answer, or when that takes too long. */
function boundRest(socket: Socket) {
	let size = 0;
	const destroy = () => void socket.destroy();
	const timer = setTimeout(destroy, maxMilliseconds).unref();
	const idle = setTimeout(destroy, maxIdleMilliseconds).unref();
	return {
		count(chunk: Buffer): void {
			size += chunk.length;
			idle.refresh();
			if (size > maxBytes) destroy();
		},
		end(): void {
			clearTimeout(timer);
			clearTimeout(idle);
		},
	};
}
