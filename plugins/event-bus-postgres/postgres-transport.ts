import { formatPacket, headerBytes, type Packet, parsePacket, readNames } from "../_event-bus/packet.ts";
import type { Connection, Receiver, Transport } from "../_event-bus/transport.ts";
import { type PostgresBusSettings, parseOptions } from "./options.ts";
import { OrderedReader, referenceKind } from "./ordered-reader.ts";
import { PacketTable } from "./packet-table.ts";
import { type Client, type CreateClient, createClients } from "./postgres-package.ts";

/** The server refuses a notification of 8,000 bytes. */
const mostBytes = 7_999;
/** Milliseconds between two looks at what is old. */
const cleaningInterval = 60_000;

/** Packets as notifications on one channel; those too large for one are rows of a table that the notification refers to. */
export class PostgresTransport implements Transport {
	readonly title = "PostgreSQL";
	readonly lanes = 1;
	readonly capacity = mostBytes - headerBytes;
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
	/** Listens; its only statement is the first. */
	readonly #listener: Client;
	/** Sends, and reads what notifications refer to. */
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
			// Of what this node has sent itself, only the beat is of interest.
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
			if (Buffer.byteLength(text) <= mostBytes) return text;
			large.push(packet);
			return formatPacket({ ...packet, kind: referenceKind, body: formatNames(packet) });
		});
		await this.#table.store(large, { channel: this.#channel, payloads });
	}

	async close(): Promise<void> {
		clearInterval(this.#cleaning);
		await Promise.allSettled([this.#listener.end({ timeout: 0 }), this.#worker.end({ timeout: 0 })]);
	}

	/** Whoever comes next does what cannot be done now. */
	#clean(): void {
		this.#table.clean().catch(() => {});
	}
}

/** What a reference says of its packet: the names of the events, or nothing where they are too long. */
function formatNames({ body }: Packet): string {
	const names = JSON.stringify(readNames(body));
	return Buffer.byteLength(names) > mostBytes - headerBytes ? "" : names;
}

/** Undefined where a reference does not say. */
function parseNames(body: string): string[] | undefined {
	try {
		const names: unknown = JSON.parse(body);
		return Array.isArray(names) ? names.map(String) : undefined;
	} catch {
		return undefined;
	}
}
