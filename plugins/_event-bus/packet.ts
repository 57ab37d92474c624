import { type BusEvent, parseJson, stringifyJson } from "../../core/contract/index.ts";

/**
 * Message between nodes. The sender numbers the packets of each lane from 1, so that a receiver detects gaps. The body of `events` contains
 * two lines for each event, its name and its data, both in JSON without line breaks. A receiver can therefore skip the data of unwanted
 * events. A `beat` is a heartbeat with the last number of each lane; its own lane and number are 0. Transports may define more kinds.
 */
export interface Packet {
	readonly kind: string;
	/** Id of the bus that sent the packet; a new one for each start. */
	readonly sender: string;
	readonly lane: number;
	readonly sequence: number;
	readonly body: string;
}

/** Beginning of each packet, which includes the version of the format. */
const mark = "svc1";

export function formatPacket({ kind, sender, lane, sequence, body }: Packet): string {
	return `${mark} ${kind} ${sender} ${lane} ${sequence}\n${body}`;
}

/** Parses a packet. Returns undefined if the string has another format. */
export function parsePacket(text: string): Packet | undefined {
	const end = text.indexOf("\n");
	const match = /^svc1 ([a-z]{1,20}) ([\w-]{1,100}) (\d{1,9}) (\d{1,15})$/.exec(text.slice(0, Math.max(0, end)));
	if (match === null) return undefined;
	const [, kind = "", sender = "", lane, sequence] = match;
	return { kind, sender, lane: Number(lane), sequence: Number(sequence), body: text.slice(end + 1) };
}

/** Maximum bytes of the first line of a packet. */
export const headerBytes = 160;

/** Returns the lines of an event in a packet. Throws if the data is not JSON. */
export function formatEvent({ name, data }: BusEvent): string {
	return `${stringifyJson(name)}\n${stringifyJson(data)}\n`;
}

/** Delivers the events of a packet's body whose names `wants` accepts. Throws if the body is malformed. */
export function readEvents(body: string, wants: (name: string) => boolean, deliver: (event: BusEvent) => void): void {
	for (let position = 0; position < body.length; ) {
		const nameEnd = toLineEnd(body, position);
		const dataEnd = toLineEnd(body, nameEnd + 1);
		const name: unknown = parseJson(body.slice(position, nameEnd));
		if (typeof name !== "string") throw new TypeError("the name of an event is not a string");
		if (wants(name)) deliver({ name, data: parseData(body.slice(nameEnd + 1, dataEnd)) });
		position = dataEnd + 1;
	}
}

/** Returns the names of the events in a body. */
export function readNames(body: string): string[] {
	const names: string[] = [];
	const note = (name: string) => {
		names.push(name);
		return false;
	};
	readEvents(body, note, () => {});
	return names;
}

function toLineEnd(body: string, position: number): number {
	const end = body.indexOf("\n", position);
	if (end === -1) throw new TypeError("a packet ends within an event");
	return end;
}

function parseData(text: string): BusEvent["data"] {
	const data: unknown = parseJson(text);
	if (typeof data !== "object" || data === null || Array.isArray(data)) throw new TypeError("the data of an event is not an object");
	return data as BusEvent["data"];
}
