import { headerBytes, type Packet } from "../_event-bus/packet.ts";

/** Kind of a message that contains a part of a packet. The first line of its body identifies the part. */
export const partKind = "part";

/** Maximum bytes of all incomplete packets together. */
const maxBytes = 64 * 1_048_576;

/** Returns the packet itself if it fits into `most` bytes, otherwise its parts. */
export function splitPacket(packet: Packet, most: number): Packet[] {
	const bytes = Buffer.from(packet.body);
	const size = most - 2 * headerBytes;
	if (bytes.length <= size) return [packet];
	const pieces = splitText(bytes, size);
	return pieces.map((piece, index) => ({ ...packet, kind: partKind, body: `${packet.kind} ${index} ${pieces.length}\n${piece}` }));
}

/** Splits UTF-8 bytes into strings, without cutting a character. */
function splitText(bytes: Buffer, size: number): string[] {
	const pieces: string[] = [];
	for (let start = 0; start < bytes.length; ) {
		let end = Math.min(bytes.length, start + size);
		while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
		pieces.push(bytes.toString("utf8", start, end));
		start = end;
	}
	return pieces;
}

interface Incomplete {
	readonly sequence: number;
	readonly pieces: string[];
}

/** Reassembles packets from their parts. Incomplete packets are discarded; the receiver detects the gap in the sequence numbers. */
export class Assembler {
	readonly #incomplete = new Map<string, Incomplete>();
	#size = 0;

	/** Adds a packet or part. Returns the packet when it is complete. */
	add(packet: Packet): Packet | undefined {
		if (packet.kind === "beat") return packet;
		const key = `${packet.sender} ${packet.lane}`;
		if (packet.kind !== partKind) {
			// A sender sends the parts of a packet consecutively, so the incomplete packet will not be completed.
			this.#forget(key);
			return packet;
		}
		return this.#addPart(key, packet);
	}

	#addPart(key: string, { body, ...packet }: Packet): Packet | undefined {
		const end = body.indexOf("\n");
		const [kind = "", index, count] = body.slice(0, end).split(" ");
		if (index === "0") this.#forget(key);
		const parts = this.#incomplete.get(key) ?? { sequence: packet.sequence, pieces: [] };
		if (parts.sequence !== packet.sequence || parts.pieces.length !== Number(index)) {
			this.#forget(key);
			return undefined;
		}
		const piece = body.slice(end + 1);
		parts.pieces.push(piece);
		this.#incomplete.set(key, parts);
		this.#size += piece.length;
		if (parts.pieces.length === Number(count)) {
			this.#forget(key);
			return { ...packet, kind, body: parts.pieces.join("") };
		}
		if (this.#size > maxBytes) this.#forgetAll();
		return undefined;
	}

	#forget(key: string): void {
		for (const { length } of this.#incomplete.get(key)?.pieces ?? []) this.#size -= length;
		this.#incomplete.delete(key);
	}

	#forgetAll(): void {
		this.#incomplete.clear();
		this.#size = 0;
	}
}
