import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a browser and a service, and hands on bytes as they are. */
export interface CuttingProxy {
	/** Where it is reached. */
	readonly url: string;
	/** Cut all connections that there are. How many. */
	cut(): number;
	/** From now on lead to another address; connections that there are stay. */
	aim(target: string): void;
	close(): Promise<void>;
}

/** A proxy in front of the service at an address, whose connections can be cut in the midst of anything. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
	let aim = new URL(target);
	const sockets = new Set<Socket>();
	const keep = (socket: Socket) => {
		sockets.add(socket);
		socket.once("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
		return socket;
	};
	const server = createServer((from) => {
		const to = keep(connect(Number(aim.port), aim.hostname));
		keep(from).once("close", () => to.destroy());
		to.once("close", () => from.destroy());
		from.pipe(to).pipe(from);
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const cut = () => {
		const count = sockets.size / 2;
		for (const socket of sockets) socket.destroy();
		return count;
	};
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		cut,
		aim: (next) => void (aim = new URL(next)),
		async close() {
			cut();
			server.close();
			await once(server, "close");
		},
	};
}
