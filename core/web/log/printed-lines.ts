import type { OutputChunkRecord, OutputLineRecord, OutputLinesRecord } from "../../features/clients.ts";

/** Characters of a line that are kept, as the service tells them. */
const longestText = 4_096;

type Chunk = Pick<OutputChunkRecord, "event_id" | "data" | "output_type" | "timestamp">;

/** The end of an output as it goes on: makes numbered lines of what is printed. A chunk that comes again makes none. */
export class PrintedLines {
	#last: number;
	#total: number;
	#open: OutputLineRecord | undefined;

	/**
	 * @param end an answer of the service that goes to the end of the output
	 * @param before how many lines come before those in it
	 */
	constructor({ lines, event_id, last_line_open }: Pick<OutputLinesRecord, "lines" | "event_id" | "last_line_open">, before: number) {
		this.#last = Number(event_id);
		this.#total = before + lines.length;
		this.#open = last_line_open ? lines.at(-1) : undefined;
	}

	/** The last event of the stream that is in it. */
	get last(): number {
		return this.#last;
	}

	/** How many lines there are. */
	get total(): number {
		return this.#total;
	}

	/** The lines that have come with a chunk, or have gone on. */
	take({ event_id, data, output_type, timestamp }: Chunk): OutputLineRecord[] {
		if (Number(event_id) <= this.#last) return [];
		this.#last = Number(event_id);
		const lines: OutputLineRecord[] = [];
		for (let start = 0; start < data.length; ) {
			const end = data.indexOf("\n", start);
			const part = data.slice(start, end < 0 ? data.length : end);
			const { line, text, length, ...rest } = this.#open ?? { line: this.#total + 1, text: "", length: 0, output_type, timestamp };
			const more = text.length < longestText ? part.slice(0, longestText - text.length) : "";
			const grown = { ...rest, line, text: text + more, length: length + part.length };
			lines.push(grown);
			this.#total = line;
			this.#open = end < 0 ? grown : undefined;
			start = end < 0 ? data.length : end + 1;
		}
		return lines;
	}
}
