import type { IncomingMessage } from "node:http";
import type { RunContext } from "../../core/contract/index.ts";
import { EngineUnreachable } from "./engine-errors.ts";

export type OutputContext = Pick<RunContext, "emit" | "captured">;

/** The service refused to store the output; the engine is not the cause. */
export class OutputRefused extends Error {
	override readonly name = "OutputRefused";
}

/**
 * Reads the output of a container from its beginning and records the part that is not recorded yet. Recorded bytes are skipped by their
 * number, so another reader, even one in a restarted service, can continue without losing or repeating output.
 *
 * @param isWhole true if no output follows: an incomplete character at the end is then recorded as a replacement character
 */
export async function recordOutput(response: IncomingMessage, context: OutputContext, isWhole: boolean): Promise<void> {
	const frames = new FrameReader();
	const channels: Readonly<Record<Channel, ChannelText>> = {
		stdout: new ChannelText(context.captured("stdout").bytes),
		stderr: new ChannelText(context.captured("stderr").bytes),
	};
	const emit = async (channel: Channel, text: string) => {
		if (text === "") return;
		await context.emit(channel, text).catch((cause: unknown) => {
			throw new OutputRefused("the output was refused", { cause });
		});
	};
	try {
		for await (const piece of response) {
			for (const { channel, bytes } of frames.read(piece as Buffer)) await emit(channel, channels[channel].add(bytes));
		}
	} catch (error) {
		if (error instanceof OutputRefused) throw error;
		throw new EngineUnreachable(`the output of the container is incomplete: ${String(error)}`);
	}
	if (isWhole) for (const channel of ["stdout", "stderr"] as const) await emit(channel, channels[channel].end());
}

/** Decodes the output of one channel and skips the part that was recorded before. */
class ChannelText {
	readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	/** Bytes that must still be skipped. They are counted in the decoded text, in which an invalid byte takes three bytes. */
	#recorded: number;

	constructor(recorded: number) {
		this.#recorded = recorded;
	}

	add(bytes: Buffer): string {
		return this.#skip(this.#decoder.decode(bytes, { stream: true }));
	}

	end(): string {
		return this.#skip(this.#decoder.decode());
	}

	#skip(text: string): string {
		if (this.#recorded === 0) return text;
		const all = Buffer.from(text);
		const rest = all.subarray(this.#recorded);
		this.#recorded = Math.max(0, this.#recorded - all.length);
		return rest.toString();
	}
}

type Channel = "stdout" | "stderr";

/** Maximum length of a frame; a longer one shows that the stream does not consist of frames. */
const maxFrameLength = 64 * 1024 * 1024;

/**
 * Parses the frames in which engines send the output of a container without a terminal. A frame has one byte for the channel, three unused
 * bytes, four bytes for the length, and the output. Output is yielded as it arrives, because a frame may be long.
 */
class FrameReader {
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
		if ((number !== 1 && number !== 2 && number !== 0) || this.#left > maxFrameLength)
			throw new Error("the engine sent an invalid output stream");
		this.#channel = number === 2 ? "stderr" : "stdout";
		return taken;
	}
}
