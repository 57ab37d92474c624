import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a browser or a worker and a service, and hands on bytes as they are. */
export class CuttingProxy {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	/** Connections with their other ends, which a line that is frozen does not have yet. */
	readonly #pairs = new Map<Socket, Socket | undefined>();
	#port = 0;
	#target: URL;
	#isFrozen = false;

	private constructor(target: string) {
		this.#target = new URL(target);
		this.#server = createServer((from) => this.#take(from));
	}

	static async start(target: string): Promise<CuttingProxy> {
		const proxy = new CuttingProxy(target);
		await proxy.#listen();
		return proxy;
	}

	/** Where it is reached. */
	get url(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** Cut all connections that there are. How many. */
	cut(): number {
		const count = [...this.#pairs.keys()].filter(({ destroyed }) => !destroyed).length;
		for (const socket of this.#sockets) socket.destroy();
		return count;
	}

	/** From now on lead to another address; connections that there are stay. */
	aim(target: string): void {
		this.#target = new URL(target);
	}

	/** Cut all connections, and refuse new ones until `admit`. */
	refuse(): void {
		this.#server.close();
		this.cut();
	}

	admit(): Promise<void> {
		return this.#listen();
	}

	/** Connections come about and stay, and nothing gets through, until `thaw`: what was on its way arrives then, also from whoever has died meanwhile. */
	freeze(): void {
		this.#isFrozen = true;
		for (const [from, to] of this.#pairs) {
			from.unpipe();
			to?.unpipe();
		}
	}

	thaw(): void {
		this.#isFrozen = false;
		for (const [from, to] of this.#pairs) this.#join(from, to ?? this.#reach(from));
	}

	async close(): Promise<void> {
		this.cut();
		if (!this.#server.listening) return;
		this.#server.close();
		await once(this.#server, "close");
	}

	async #listen(): Promise<void> {
		this.#server.listen(this.#port, "127.0.0.1");
		await once(this.#server, "listening");
		this.#port = (this.#server.address() as AddressInfo).port;
	}

	#take(from: Socket): void {
		this.#keep(from).once("close", () => {
			this.#pairs.get(from)?.destroy();
			this.#pairs.delete(from);
		});
		this.#pairs.set(from, undefined);
		if (!this.#isFrozen) this.#join(from, this.#reach(from));
	}

	#reach(from: Socket): Socket {
		const to = this.#keep(connect(Number(this.#target.port), this.#target.hostname));
		to.once("close", () => from.destroy());
		this.#pairs.set(from, to);
		return to;
	}

	#join(from: Socket, to: Socket): void {
		from.pipe(to).pipe(from);
	}

	#keep(socket: Socket): Socket {
		this.#sockets.add(socket);
		return socket.once("close", () => this.#sockets.delete(socket)).on("error", () => socket.destroy());
	}
}

/** A proxy in front of the service at an address, whose connections can be cut in the midst of anything. */
export function startCuttingProxy(target: string): Promise<CuttingProxy> {
	return CuttingProxy.start(target);
}
