import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, request, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface TestServer {
	/** Such as `http://127.0.0.1:4711`. */
	readonly url: string;
	readonly port: number;
	stop(): Promise<void>;
}

/** A server whose answers are made by `listener`. */
export async function startServer(listener: RequestListener): Promise<TestServer> {
	return listen(createServer(listener), "http");
}

export interface TlsFiles {
	readonly certificate: string;
	readonly key: string;
	remove(): Promise<void>;
}

/** A certificate for 127.0.0.1 that nobody but itself has signed. */
export async function createSelfSigned(): Promise<TlsFiles> {
	const directory = await mkdtemp(join(tmpdir(), "svc-http-request-"));
	const [certificate, key] = [join(directory, "server.crt"), join(directory, "server.key")];
	await promisify(execFile)("openssl", [
		...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
		...["-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate],
	]);
	return { certificate, key, remove: () => rm(directory, { recursive: true, force: true }) };
}

export async function startTlsServer({ certificate, key }: TlsFiles, listener: RequestListener): Promise<TestServer> {
	return listen(createTlsServer({ cert: await readFile(certificate), key: await readFile(key) }, listener), "https");
}

export interface TestProxy extends TestServer {
	/** Request lines it has seen, with the credentials that came with them. */
	readonly seen: readonly string[];
}

/** A forward proxy: tunnels for CONNECT, and requests with a whole address. */
export async function startProxy(): Promise<TestProxy> {
	const seen: string[] = [];
	const note = (message: IncomingMessage) =>
		void seen.push(`${message.method} ${message.url} ${message.headers["proxy-authorization"] ?? "-"}`);
	const server = createServer((incoming, answer) => {
		note(incoming);
		const { "proxy-authorization": _credentials, ...headers } = incoming.headers;
		const forwarded = request(incoming.url ?? "", { method: incoming.method, headers }, (reply) => {
			answer.writeHead(reply.statusCode ?? 502, reply.headers);
			reply.pipe(answer);
		});
		incoming.pipe(forwarded);
	});
	server.on("connect", (incoming: IncomingMessage, socket) => {
		note(incoming);
		const [host, port] = (incoming.url ?? "").split(":");
		const upstream = connect(Number(port), host, () => {
			socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
			upstream.pipe(socket).pipe(upstream);
		});
		for (const end of [upstream, socket])
			end.on("error", () => end.destroy()).on("close", () => void [upstream, socket].map((one) => one.destroy()));
	});
	return { ...(await listen(server, "http")), seen };
}

/** The whole body of a request. */
export async function readAll(message: IncomingMessage): Promise<Buffer> {
	const pieces: Buffer[] = [];
	for await (const piece of message) pieces.push(piece as Buffer);
	return Buffer.concat(pieces);
}

export function answerJson(answer: ServerResponse, value: unknown, status = 200): void {
	answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function listen(server: Server, protocol: string): Promise<TestServer> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `${protocol}://127.0.0.1:${port}`,
		port,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
