import { connect } from "node:net";
import type { ServerAddress } from "./options.ts";

/** Milliseconds. */
const probeTimeout = 2_000;

/**
 * Resolves when a server greets, which every NATS server does first, in the clear. The client package would keep the socket to one that
 * takes the connection and says nothing.
 */
export function probe({ host, port }: ServerAddress): Promise<void> {
	return new Promise((resolve, reject) => {
		// Node wants an address of version 6 without its brackets.
		const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port });
		const end = (error?: Error) => {
			clearTimeout(timer);
			socket.destroy();
			if (error === undefined) resolve();
			else reject(error);
		};
		const timer = setTimeout(() => end(new Error(`${host}:${port} does not answer`)), probeTimeout);
		socket.once("data", () => end());
		socket.once("error", end);
		socket.once("end", () => end(new Error(`${host}:${port} closed the connection`)));
	});
}
