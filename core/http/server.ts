import type { Server as HttpServer, RequestListener } from "node:http";
import type { Socket } from "node:net";
import type { H3 } from "h3";
import { type Listener, listen } from "listhen";
import { type Logger, SvcError, toErrorMessage } from "../contract/index.ts";
import { readCertificate, watchCertificate } from "./certificate.ts";
import { drainAfterResponse, endAndDrain } from "./drain-request.ts";
import type { ListenerOptions } from "./listeners.ts";
import { createNodeHandler } from "./node-handler.ts";
import { replyFault } from "./replies.ts";

/** Milliseconds that requests in progress get before their connections are closed. */
const closeGraceMs = 2_000;

/** An open listener. */
export interface Server {
	/** Address with the actual port, without a trailing slash. */
	readonly url: string;
	/** Waits up to two seconds for requests in progress, then closes all connections. The caller must end the event streams first. */
	stop(): Promise<void>;
}

/** Opens a listener, with TLS if `address.use_ssl` is true. Throws `SVC_CONFIG` naming the option that is wrong. */
export async function startServer(app: H3, address: ListenerOptions, logger: Logger): Promise<Server> {
	const certificate = address.use_ssl ? await readCertificate(address) : undefined;
	const listener = await open(createNodeHandler(app, logger), address, certificate);
	answerMalformedRequests(listener.server);
	const certificateWatch = certificate === undefined ? undefined : watchCertificate(address, listener.server, logger);
	return {
		url: toUrl(listener, address),
		async stop() {
			certificateWatch?.stop();
			await stopServer(listener);
		},
	};
}

async function open(
	handler: RequestListener,
	address: ListenerOptions,
	certificate: { cert: string; key: string } | undefined,
): Promise<Listener> {
	const options: Parameters<typeof listen>[1] = {
		isProd: true,
		autoClose: false,
		showURL: false,
		qr: false,
		clipboard: false,
		open: false,
		hostname: address.host,
		port: address.port === 0 ? { random: true, host: address.host } : address.port,
		...(certificate !== undefined && { https: certificate }),
	};
	try {
		return await listen(handler, options);
	} catch (error) {
		throw new SvcError(
			"SVC_CONFIG",
			`${address.section}.${address.option ?? "port"}: cannot listen on ${address.host} port ${address.port}: another program uses it, or it is not allowed (${toErrorMessage(error)})`,
			{ cause: error },
		);
	}
}

function toUrl(listener: Listener, { host, use_ssl }: ListenerOptions): string {
	const port = listener.address.port;
	const name = host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host;
	return `${use_ssl ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function stopServer(listener: Listener): Promise<void> {
	const { server } = listener;
	const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs);
	try {
		await listener.close();
	} finally {
		clearTimeout(timer);
		server.closeAllConnections();
	}
}

/** Responses to requests that Node's parser refuses, by error code. All other errors are answered with 400. */
const answers: ReadonlyMap<string | undefined, readonly [status: string, faultstring: string]> = new Map([
	["HPE_HEADER_OVERFLOW", ["431 Request Header Fields Too Large", "request: URL and headers are too long"]],
	["HPE_CHUNK_EXTENSIONS_OVERFLOW", ["413 Payload Too Large", "body: chunk extensions are too long"]],
	["ERR_HTTP_REQUEST_TIMEOUT", ["408 Request Timeout", "request: it did not arrive in time"]],
]);
const badRequest = ["400 Bad Request", "request: it is not valid HTTP"] as const;

/** Answers malformed requests, which do not reach the application, with an error body like that of all other errors. */
function answerMalformedRequests(server: Pick<HttpServer, "on">): void {
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
		const { headers, body } = replyFault(417, "header Expect: only 100-continue is supported");
		response.writeHead(417, { ...headers, connection: "close" }).end(body);
	});
}
