import { connect } from "node:net";
import { formatPacket, type Packet, parsePacket } from "../_event-bus/packet.ts";
import type { Connection, Receiver, Transport } from "../_event-bus/transport.ts";
import { type Connect, createConnect, type NatsConnection } from "./nats-package.ts";
import { type NatsBusSettings, parseOptions, type ServerAddress } from "./options.ts";
import { Assembler, splitPacket } from "./packet-parts.ts";

/** Maximum bytes of a message if the server does not send its limit; the default of NATS. */
const defaultMostBytes = 1_048_576;

/** Sends packets as NATS messages. Each lane has its own subject, so that a node receives only the lanes that it subscribes to. */
export class NatsTransport implements Transport {
	readonly title = "NATS";
	readonly lanes = 64;
	readonly capacity = 65_536;
	/** NATS need not deliver messages back to their sender, because the client detects a dead server with pings. */
	readonly echoes = false;
	readonly #options: () => unknown;
	#settings: NatsBusSettings | undefined;
	#connect: Connect | undefined;

	constructor(options: () => unknown) {
		this.#options = options;
	}

	async prepare(): Promise<void> {
		this.#settings = parseOptions(this.#options());
		this.#connect = await createConnect(this.#settings);
	}

	/** Connects to the first available server. The order is random, so that the nodes are distributed over a cluster. */
	async connect(receiver: Receiver): Promise<Connection> {
		const { servers, prefix } = this.#settings ?? { servers: [], prefix: "" };
		let failure: unknown = new Error("the event bus has not been started");
		for (const server of shuffle(servers)) {
			try {
				await probe(server);
				const nats = await this.#connect?.(server);
				if (nats !== undefined) return new NatsBusConnection(nats, prefix, receiver);
			} catch (error) {
				failure = error;
			}
		}
		throw failure;
	}
}

class NatsBusConnection implements Connection {
	readonly #nats: NatsConnection;
	readonly #prefix: string;
	readonly #receiver: Receiver;
	readonly #assembler = new Assembler();
	readonly #lanes = new Map<number, { unsubscribe(): void }>();

	constructor(nats: NatsConnection, prefix: string, receiver: Receiver) {
		this.#nats = nats;
		this.#prefix = prefix;
		this.#receiver = receiver;
		void nats.closed().then((reason) => receiver.onLost(reason));
		void this.#watch();
		this.#subscribe("beat");
	}

	async listen(lanes: ReadonlySet<number>): Promise<void> {
		const added = [...lanes].filter((lane) => !this.#lanes.has(lane));
		for (const lane of added) this.#lanes.set(lane, this.#subscribe(String(lane)));
		for (const [lane, subscription] of this.#lanes) {
			if (lanes.has(lane)) continue;
			subscription.unsubscribe();
			this.#lanes.delete(lane);
		}
		await this.#nats.flush();
	}

	async send(packets: readonly Packet[]): Promise<void> {
		const most = this.#nats.info?.max_payload ?? defaultMostBytes;
		for (const packet of packets) {
			const subject = `${this.#prefix}.${packet.kind === "beat" ? "beat" : packet.lane}`;
			for (const part of splitPacket(packet, most)) this.#nats.publish(subject, formatPacket(part));
		}
		await this.#nats.flush();
	}

	async close(): Promise<void> {
		await this.#nats.close().catch(() => {});
	}

	#subscribe(end: string): { unsubscribe(): void } {
		return this.#nats.subscribe(`${this.#prefix}.${end}`, {
			callback: (error, message) => {
				if (error !== null) return this.#receiver.onLost(error);
				const part = parsePacket(message.string());
				const packet = part === undefined ? undefined : this.#assembler.add(part);
				if (packet !== undefined) this.#receiver.receive(packet);
			},
		});
	}

	/** Closes the connection after an error, such as a missing permission to publish or subscribe. */
	async #watch(): Promise<void> {
		for await (const { type, error } of this.#nats.status()) if (type === "error") this.#receiver.onLost(error);
	}
}

function shuffle(servers: readonly ServerAddress[]): ServerAddress[] {
	return servers
		.map((server) => ({ server, order: Math.random() }))
		.sort((left, right) => left.order - right.order)
		.map(({ server }) => server);
}

/** Maximum milliseconds until a server must send its greeting. */
const probeTimeout = 2_000;

/**
 * Resolves when a server sends its greeting, which every NATS server sends first and unencrypted. The client package would never close a
 * connection to a server that accepts it but sends nothing.
 */
function probe({ host, port }: ServerAddress): Promise<void> {
	return new Promise((resolve, reject) => {
		// Node.js requires an IPv6 address without brackets.
		const socket = connect({ host: host.replace(/^\[|\]$/g, ""), port });
		const end = (error?: Error) => {
			clearTimeout(timer);
			socket.destroy();
			if (error === undefined) resolve();
			else reject(error);
		};
		const timer = setTimeout(() => end(new Error(`${host}:${port} does not respond`)), probeTimeout);
		socket.once("data", () => end());
		socket.once("error", end);
		socket.once("end", () => end(new Error(`${host}:${port} closed the connection`)));
	});
}
