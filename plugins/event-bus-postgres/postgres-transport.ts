import { formatPacket, headerBytes, type Packet, parsePacket, readNames } from "../_event-bus/packet.ts";
import type { Connection, Receiver, Transport } from "../_event-bus/transport.ts";
import { type PostgresBusSettings, parseOptions } from "./options.ts";
import { OrderedReader, referenceKind } from "./ordered-reader.ts";
import { PacketTable } from "./packet-table.ts";
import { type Client, type CreateClient, createClients } from "./postgres-package.ts";

/** Maximum bytes of a notification; the server refuses 8,000 bytes. */
const maxBytes = 7_999;
/** Milliseconds between two deletions of old rows. */
const cleaningInterval = 60_000;

/** Sends packets as notifications on one channel. A packet that is too large is stored in a table, and the notification refers to it. */
export class PostgresTransport implements Transport {
	readonly title = "PostgreSQL";
	readonly lanes = 1;
	readonly capacity = maxBytes - headerBytes;
	readonly echoes = true;
	readonly #options: () => unknown;
	#settings: PostgresBusSettings | undefined;
	#createClient: CreateClient | undefined;

	constructor(options: () => unknown) {
		this.#options = options;
	}

	async prepare(): Promise<void> {
		this.#settings = parseOptions(this.#options());
		this.#createClient = await createClients(this.#settings.target);
	}

	async connect(receiver: Receiver): Promise<Connection> {
		if (this.#settings === undefined || this.#createClient === undefined) throw new Error("the event bus has not been started");
		const { channel, schema } = this.#settings;
		const connection = new PostgresConnection({ receiver, channel, schema }, this.#createClient);
		try {
			await connection.open();
			return connection;
		} catch (error) {
			await connection.close();
			throw error;
		}
	}
}

interface ConnectionOptions {
	readonly receiver: Receiver;
	readonly channel: string;
	readonly schema: string | undefined;
}

class PostgresConnection implements Connection {
	readonly #channel: string;
	/** Connection that listens for notifications; it executes no other statement. */
	readonly #listener: Client;
	/** Connection that sends, and reads the packets that notifications refer to. */
	readonly #worker: Client;
	readonly #table: PacketTable;
	#cleaning: NodeJS.Timeout | undefined;

	constructor({ receiver, channel, schema }: ConnectionOptions, createClient: CreateClient) {
		this.#channel = channel;
		this.#worker = createClient({ max: 1 });
		this.#table = new PacketTable(this.#worker, schema);
		const reader = new OrderedReader({
			read: (references) => this.#table.read(references),
			wants: ({ body }) => parseNames(body)?.some((name) => receiver.wants(name)) ?? true,
			receive: (packet) => receiver.receive(packet),
		});
		const onnotify = (_channel: string, payload: string) => {
			const packet = parsePacket(payload);
			// Ignore this node's own packets except heartbeats.
			if (packet !== undefined && (packet.sender !== receiver.self || packet.kind === "beat")) reader.add(packet);
		};
		this.#listener = createClient({ max: 1, onnotify, onclose: () => receiver.onLost(undefined) });
	}

	async open(): Promise<void> {
		await this.#table.prepare();
		await this.#listener.unsafe(`listen "${this.#channel.replaceAll('"', '""')}"`);
		this.#clean();
		this.#cleaning = setInterval(() => this.#clean(), cleaningInterval);
	}

	async send(packets: readonly Packet[]): Promise<void> {
		const large: Packet[] = [];
		const payloads = packets.map((packet) => {
			const text = formatPacket(packet);
			if (Buffer.byteLength(text) <= maxBytes) return text;
			large.push(packet);
			return formatPacket({ ...packet, kind: referenceKind, body: formatNames(packet) });
		});
		await this.#table.store(large, { channel: this.#channel, payloads });
	}

	async close(): Promise<void> {
		clearInterval(this.#cleaning);
		await Promise.allSettled([this.#listener.end({ timeout: 0 }), this.#worker.end({ timeout: 0 })]);
	}

	/** Deletes old rows. If that fails, the next deletion removes them. */
	#clean(): void {
		this.#table.clean().catch(() => {});
	}
}

/** Returns the body of a reference: the names of the events, or an empty string if they are too long. */
function formatNames({ body }: Packet): string {
	const names = JSON.stringify(readNames(body));
	return Buffer.byteLength(names) > maxBytes - headerBytes ? "" : names;
}

/** Returns the event names in a reference, or undefined if it contains none. */
function parseNames(body: string): string[] | undefined {
	try {
		const names: unknown = JSON.parse(body);
		return Array.isArray(names) ? names.map(String) : undefined;
	} catch {
		return undefined;
	}
}
