import { once } from "node:events";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineEventBus, type EventBus } from "svc/contract";
import { memoryBus } from "svc/plugins/event-bus-memory";

/** Bytes that wait for a node which does not read; what would come on top of them is lost for it. */
const mostWaiting = 64 * 1024 * 1024;
const patience = () => delay(2_000, undefined, { ref: false });

/** Events between nodes on one machine: each listens on a socket in a directory, and has a connection to every other one there. */
export const socketBus = defineEventBus("socket", createSocketBus, { contract: 1 });

function createSocketBus({ directory = "bus" }: { directory?: string }): EventBus {
	const local = memoryBus().create();
	const sockets = new Set<Socket>();
	const others = new Map<string, Socket>();
	let path = "";
	let id = "";

	/** Each side says its id, the caller first. Calls `onMet` when both know each other, or the socket is closed. */
	function meet(socket: Socket, isCaller: boolean, onMet = () => {}): void {
		let other = "";
		let rest = "";
		sockets.add(socket);
		if (isCaller) socket.write(`${id}\n`);
		socket.setEncoding("utf8").on("data", (piece) => {
			const lines: string[] = (rest + piece).split("\n");
			rest = lines.pop() ?? "";
			if (other === "" && lines.length > 0) {
				other = lines.shift() ?? "";
				others.set(other, socket);
				if (!isCaller) socket.write(`${id}\n`);
				onMet();
			}
			for (const line of lines) local.publish(...(JSON.parse(line) as Parameters<EventBus["publish"]>));
		});
		socket
			.on("error", () => {})
			.on("close", () => {
				sockets.delete(socket);
				if (others.get(other) === socket) others.delete(other);
				onMet();
			});
	}
	const server = createServer((socket) => meet(socket, false));

	return {
		capabilities: { shared: true },
		async start({ dataDirectory, nodeId }) {
			const place = resolve(dataDirectory, directory);
			await mkdir(place, { recursive: true, mode: 0o700 });
			[id, path] = [nodeId, join(place, nodeId)];
			// Renamed once it listens: a name behind which nobody listens is left over from a crash.
			await once(server.listen(`${path}.new`), "listening");
			await rename(`${path}.new`, path);
			const names = (await readdir(place)).filter((name) => name !== nodeId && !name.endsWith(".new"));
			const call = (name: string) => new Promise<void>((onMet) => meet(toSocket(join(place, name)), true, onMet));
			await Promise.race([Promise.all(names.map(call)), patience()]);
		},
		publish(name, data) {
			local.publish(name, data);
			const line = `${JSON.stringify([name, data])}\n`;
			for (const socket of others.values()) if (socket.writableLength < mostWaiting) socket.write(line);
		},
		subscribe: (names, options) => local.subscribe(names, options),
		async stop() {
			others.clear();
			server.close();
			await Promise.race([Promise.all([...sockets].map((socket) => once(socket.end(), "close"))), patience()]);
			for (const socket of sockets) socket.destroy();
			if (path !== "") await rm(path, { force: true });
			await local.stop?.();
		},
	};
}

/** A connection to a node; a name that nobody listens behind any more is removed. */
function toSocket(path: string): Socket {
	return connect(path).on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "ECONNREFUSED") void rm(path, { force: true });
	});
}
