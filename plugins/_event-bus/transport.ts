import type { PluginContext } from "../../core/contract/index.ts";
import type { Packet } from "./packet.ts";

/** Carries packets between nodes. */
export interface Transport {
	/** Name for log messages, such as `PostgreSQL`. */
	readonly title: string;
	/** Number of lanes into which events are partitioned. A node can receive each lane separately. */
	readonly lanes: number;
	/** Target size of a packet in bytes; small events share a packet. */
	readonly capacity: number;
	/** True if packets of this node are delivered back to it. The bus then treats a connection without them as dead. */
	readonly echoes: boolean;
	/** Checks the options and loads the required package. Throws `SVC_CONFIG`. */
	prepare(context: PluginContext): Promise<void>;
	/** Makes one attempt to connect. If the server does not respond, it rejects soon and releases all resources. */
	connect(receiver: Receiver): Promise<Connection>;
}

export interface Receiver {
	/** Id of this bus. */
	readonly self: string;
	/** Returns true if a subscriber of this node wants events of this name. */
	wants(name: string): boolean;
	/** Called for each packet, in the order of each sender. */
	receive(packet: Packet): void;
	/** Called when the connection is lost. May be called more than once. */
	onLost(reason: unknown): void;
}

export interface Connection {
	/** Resolves when the server has received the packets. After a failure the packets are sent again; receivers discard duplicates. */
	send(packets: readonly Packet[]): Promise<void>;
	/** Receives exactly these lanes from now on. Resolves when the server has confirmed it. Not needed by a transport with one lane. */
	listen?(lanes: ReadonlySet<number>): Promise<void>;
	/** Closes the connection. May be called more than once; never rejects. */
	close(): Promise<void>;
}
