import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TcpServer {
	readonly port: number;
	/** Connections that came in so far. */
	connections(): number;
	/** Everything that clients have sent. */
	received(): string;
	stop(): Promise<void>;
}

/** A server that does with each connection what `serve` says. */
export async function startTcp(serve: (socket: Socket) => void): Promise<TcpServer> {
	const sockets = new Set<Socket>();
	const pieces: Buffer[] = [];
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		sockets.add(socket);
		socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
		socket.on("data", (piece: Buffer) => pieces.push(piece));
		serve(socket);
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		connections: () => connections,
		received: () => Buffer.concat(pieces).toString("latin1"),
		async stop() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

/** A server that takes connections and never says a word. */
export function startMute(): Promise<TcpServer> {
	return startTcp(() => undefined);
}

export interface ProxyHooks {
	/** What to send to the client instead of what the server has sent; undefined breaks the connection off. */
	toClient?(piece: Buffer, context: { readonly connection: number; readonly sent: number }): Buffer | undefined;
}

/** Stands between client and server. */
export function startProxy(port: number, { toClient }: ProxyHooks = {}): Promise<TcpServer> {
	let count = 0;
	return startTcp((socket) => {
		count += 1;
		const connection = count;
		let sent = 0;
		const server = connect(port, "127.0.0.1").on("error", () => undefined);
		socket.on("data", (piece: Buffer) => void server.write(piece)).on("close", () => server.destroy());
		server.on("close", () => socket.destroy());
		server.on("data", (piece: Buffer) => {
			const changed = toClient === undefined ? piece : toClient(piece, { connection, sent });
			sent += 1;
			if (changed === undefined) socket.destroy();
			else socket.write(changed);
		});
	});
}
