import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Number of the request by which a job is submitted, as Slurm's protocol writes it. */
const submission = Buffer.from([0x0f, 0xa3]);

/** Stands between Slurm's commands and the controller, and can part them. */
export class CuttingProxy {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #target: number;
	#isCut = false;
	#isFrozen = false;
	#losesAnswer = false;

	private constructor(target: number) {
		this.#target = target;
		this.#server = createServer((socket) => this.#take(socket));
	}

	static async start(target: number): Promise<CuttingProxy> {
		const proxy = new CuttingProxy(target);
		proxy.#server.listen(0, "127.0.0.1");
		await once(proxy.#server, "listening");
		return proxy;
	}

	get port(): number {
		const address = this.#server.address();
		return typeof address === "object" && address !== null ? address.port : 0;
	}

	cut(): void {
		this.#isCut = true;
		for (const socket of this.#sockets) socket.destroy();
	}

	mend(): void {
		this.#isCut = false;
		this.#losesAnswer = false;
	}

	/** Nothing gets through until `thaw`, and no connection ends. */
	freeze(): void {
		this.#isFrozen = true;
		for (const socket of this.#sockets) socket.pause();
	}

	thaw(): void {
		this.#isFrozen = false;
		for (const socket of this.#sockets) socket.resume();
	}

	/** The next job is submitted, and its number is not heard. */
	loseNextAnswer(): void {
		this.#losesAnswer = true;
	}

	stop(): void {
		this.cut();
		this.#server.close();
	}

	#take(socket: Socket): void {
		if (this.#isCut) return void socket.destroy();
		const controller = connect(this.#target, "127.0.0.1");
		const isLost = { value: false };
		for (const [from, to] of [[socket, controller] as const, [controller, socket] as const]) {
			this.#sockets.add(from);
			from.on("error", () => {});
			from.on("close", () => {
				this.#sockets.delete(from);
				to.destroy();
			});
		}
		socket.on("data", (piece) => {
			// Length, version, flags, index and then the number of the request.
			if (this.#losesAnswer && piece.subarray(0, 16).includes(submission)) [this.#losesAnswer, isLost.value] = [false, true];
			controller.write(piece);
		});
		controller.on("data", (piece) => {
			if (isLost.value) socket.destroy();
			else socket.write(piece);
		});
		socket.on("end", () => controller.end());
		if (this.#isFrozen) for (const each of [socket, controller]) each.pause();
	}
}
