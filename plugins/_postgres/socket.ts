import { once } from "node:events";
import { connect as connectTcp, isIP, type NetConnectOpts, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { PostgresTarget } from "./options.ts";

/** `SSLRequest` message of the PostgreSQL protocol. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

type SocketTarget = Pick<PostgresTarget, "host" | "port">;

const keepAliveInterval = 15_000;

/**
 * Opens a socket to the server, with TLS if requested, ready for the first message of the protocol. The driver does not open it itself: the
 * caller needs the socket to destroy it, because the driver waits forever for a server that stopped responding.
 *
 * @param tls undefined for an unencrypted connection
 */
export async function connectSocket(target: SocketTarget, tls: ConnectionOptions | undefined, signal: AbortSignal): Promise<Socket> {
	// While this function waits, errors reject it. Without this listener, a later error would end the process.
	const socket = connectTcp(toPlace(target)).on("error", () => {});
	const destroy = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
	signal.addEventListener("abort", destroy);
	try {
		signal.throwIfAborted();
		await once(socket, "connect", { signal });
		socket.setNoDelay(true);
		socket.setKeepAlive(true, keepAliveInterval);
		return tls ? await secure(socket, tls, signal) : socket;
	} catch (error) {
		socket.destroy();
		throw signal.aborted ? signal.reason : error;
	} finally {
		signal.removeEventListener("abort", destroy);
	}
}

function toPlace({ host, port }: SocketTarget): NetConnectOpts {
	return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

async function secure(socket: Socket, tls: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
	socket.write(sslRequest);
	const [answer] = (await once(socket, "data", { signal })) as [Buffer];
	// Accept only the single byte `S`: further bytes could have been injected by an attacker.
	if (answer.toString("latin1") !== "S") throw new Error("the server does not offer TLS");
	const { servername = "", ...rest } = tls;
	const options = { ...rest, socket, ...(isIP(servername) ? { host: servername } : { servername }) };
	const secured = connectTls(options).on("error", () => {});
	await once(secured, "secureConnect", { signal });
	return secured;
}
