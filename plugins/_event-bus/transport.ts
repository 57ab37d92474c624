import type { PluginContext } from "../../core/contract/index.ts";
import type { Packet } from "./packet.ts";

/** What carries packets between nodes. */
export interface Transport {
	/** In messages of the log: `PostgreSQL`. */
	readonly title: string;
	/** Into how many lanes events are divided; each can be listened to alone. */
	readonly lanes: number;
	/** Bytes that a packet should not exceed, for many small events share one. */
	readonly capacity: number;
	/** Whether what this node sends comes back to it; when it does not, the connection is dead. */
	readonly echoes: boolean;
	/** Check the options and load what is needed. Throws `SVC_CONFIG`. */
	prepare(context: PluginContext): Promise<void>;
	/** One attempt to connect. Rejects soon when nobody answers, leaving nothing behind. */
	connect(receiver: Receiver): Promise<Connection>;
}

export interface Receiver {
	/** Id of this bus. */
	readonly self: string;
	/** Whether anybody here wants events of this name. */
	wants(name: string): boolean;
	/** In the order of each sender. */
	receive(packet: Packet): void;
	/** The connection is lost. May be called more than once. */
	onLost(reason: unknown): void;
}

export interface Connection {
	/** Resolves when the server has the packets. After a failure they are sent again; receivers drop what they have already. */
	send(packets: readonly Packet[]): Promise<void>;
	/** Let these lanes arrive, and no others. Resolves when they do. A transport with one lane needs none of it. */
	listen?(lanes: ReadonlySet<number>): Promise<void>;
	/** May be called more than once; never rejects. */
	close(): Promise<void>;
}
