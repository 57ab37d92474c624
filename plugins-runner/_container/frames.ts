/** Which of the two a piece of output is. */
export type Channel = "stdout" | "stderr";

/** A frame longer than any engine makes: what comes is no frames. */
const longestFrame = 64 * 1024 * 1024;

/**
 * Takes a stream of frames apart, as engines send what a container without a terminal prints: a byte for the channel, three of no meaning, four for
 * the length, and so many of output. Pieces are given on as they come, a frame may be long.
 */
export class FrameReader {
	readonly #header = Buffer.alloc(8);
	#headerLength = 0;
	#left = 0;
	#channel: Channel = "stdout";

	*read(piece: Buffer): Generator<{ readonly channel: Channel; readonly bytes: Buffer }> {
		let offset = 0;
		while (offset < piece.length) {
			if (this.#left === 0) {
				offset += this.#readHeader(piece, offset);
				continue;
			}
			const bytes = piece.subarray(offset, offset + this.#left);
			this.#left -= bytes.length;
			offset += bytes.length;
			yield { channel: this.#channel, bytes };
		}
	}

	#readHeader(piece: Buffer, offset: number): number {
		const taken = piece.copy(this.#header, this.#headerLength, offset, offset + 8 - this.#headerLength);
		this.#headerLength += taken;
		if (this.#headerLength < 8) return taken;
		this.#headerLength = 0;
		this.#left = this.#header.readUInt32BE(4);
		const number = this.#header[0];
		if ((number !== 1 && number !== 2 && number !== 0) || this.#left > longestFrame)
			throw new Error("what the engine sends is no output of a container");
		this.#channel = number === 2 ? "stderr" : "stdout";
		return taken;
	}
}
