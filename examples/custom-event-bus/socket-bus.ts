import { once } from "node:events";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { basename, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
	type BusEvent,
	defineEventBus,
	type EventBus,
	type EventData,
	type PluginContext,
	parseJson,
	type SubscribeOptions,
	stringifyJson,
} from "svc-automation/contract";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";

/** Maximum number of bytes that wait for a node that does not read. Further events for that node are dropped. */
const mostWaiting = 64 * 1024 * 1024;
const patience = () => delay(2_000, undefined, { ref: false });

/** Event bus for nodes on one machine. Each node listens on a socket in a shared directory and connects to all other nodes. */
export const socketBus = defineEventBus("socket", ({ directory = "bus" }: { directory?: string }) => new SocketBus(directory), {
	contract: 1,
});

class SocketBus implements EventBus {
	readonly capabilities = { shared: true };
	readonly #directory: string;
	readonly #local = memoryBus().create();
	readonly #server = createServer((socket) => this.#meet(socket, false));
	readonly #sockets = new Set<Socket>();
	/** Connections to other nodes, by node id. */
	readonly #others = new Map<string, Socket>();
	#path = "";

	constructor(directory: string) {
		this.#directory = directory;
	}

	async start({ dataDirectory, nodeId }: PluginContext): Promise<void> {
		const directory = resolve(dataDirectory, this.#directory);
		await mkdir(directory, { recursive: true, mode: 0o700 });
		this.#path = join(directory, nodeId);
		// Renamed once it listens, so that a socket without a listener is always a remnant of a crash.
		await once(this.#server.listen(`${this.#path}.new`), "listening");
		await rename(`${this.#path}.new`, this.#path);
		const names = (await readdir(directory)).filter((name) => name !== nodeId && !name.endsWith(".new"));
		const met = names.map((name) => new Promise<void>((onMet) => this.#meet(toSocket(join(directory, name)), true, onMet)));
		await Promise.race([Promise.all(met), patience()]);
	}

	publish(name: string, data: EventData): void {
		this.#local.publish(name, data);
		const line = `${stringifyJson([name, data])}\n`;
		for (const socket of this.#others.values()) if (socket.writableLength < mostWaiting) socket.write(line);
	}

	subscribe(names: readonly string[], options: SubscribeOptions): Promise<AsyncIterable<BusEvent>> {
		return this.#local.subscribe(names, options);
	}

	async stop(): Promise<void> {
		this.#others.clear();
		this.#server.close();
		await Promise.race([Promise.all([...this.#sockets].map((socket) => once(socket.end(), "close"))), patience()]);
		for (const socket of this.#sockets) socket.destroy();
		if (this.#path !== "") await rm(this.#path, { force: true });
		await this.#local.stop?.();
	}

	/** Exchanges node ids, the caller first. Calls `onMet` when both sides have the id of the other, or the socket is closed. */
	#meet(socket: Socket, isCaller: boolean, onMet = () => {}): void {
		const introduce = () => socket.write(`${basename(this.#path)}\n`);
		let other = "";
		this.#sockets.add(socket);
		if (isCaller) introduce();
		readLines(socket, (line) => {
			if (other !== "") return this.#local.publish(...(parseJson(line) as [string, EventData]));
			other = line;
			this.#others.set(other, socket);
			if (!isCaller) introduce();
			onMet();
		});
		socket
			.on("error", () => {})
			.on("close", () => {
				this.#sockets.delete(socket);
				if (this.#others.get(other) === socket) this.#others.delete(other);
				onMet();
			});
	}
}

function readLines(socket: Socket, onLine: (line: string) => void): void {
	let rest = "";
	socket.setEncoding("utf8").on("data", (piece: string) => {
		const lines = (rest + piece).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) onLine(line);
	});
}

/** Connects to a node. Removes the socket if no process listens on it. */
function toSocket(path: string): Socket {
	return connect(path).on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "ECONNREFUSED") void rm(path, { force: true });
	});
}
