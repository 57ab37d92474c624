import type { Packet } from "./packet.ts";
import type { Connection, Receiver, Transport } from "./transport.ts";

/** What a hub does with a packet on its way: the packets that arrive in its place. */
export type Fault = (packet: Packet) => readonly Packet[];

/** A server in this process that fails as tests want it to. */
export interface Hub {
	/** A transport to it; one for each bus. */
	createTransport(changes?: { readonly echoes?: boolean }): Transport;
	fault: Fault;
	/** Connections are refused while it is false. */
	isUp: boolean;
	/** Thrown when packets are sent. */
	refusal: Error | undefined;
	/** Senders wait for it. */
	hold: Promise<void> | undefined;
	/** Cut all connections. */
	cut(): void;
	/** What has been sent. */
	readonly sent: Packet[];
}

export function createHub(): Hub {
	const receivers = new Set<Receiver>();
	const hub: Hub = {
		fault: (packet) => [packet],
		isUp: true,
		refusal: undefined,
		hold: undefined,
		sent: [],
		cut() {
			for (const receiver of receivers) receiver.onLost(new Error("cut"));
			receivers.clear();
		},
		createTransport: ({ echoes = false } = {}) => ({
			title: "the hub",
			lanes: 1,
			capacity: 1_000,
			echoes,
			prepare: async () => {},
			async connect(receiver) {
				if (!hub.isUp) throw new Error("the hub is down");
				receivers.add(receiver);
				return connectionOf(hub, receivers, receiver);
			},
		}),
	};
	return hub;
}

function connectionOf(hub: Hub, receivers: Set<Receiver>, own: Receiver): Connection {
	return {
		async send(packets) {
			await hub.hold;
			if (hub.refusal !== undefined) throw hub.refusal;
			for (const packet of packets) {
				hub.sent.push(packet);
				for (const arriving of hub.fault(packet)) for (const receiver of receivers) receiver.receive(arriving);
			}
		},
		async close() {
			receivers.delete(own);
		},
	};
}
