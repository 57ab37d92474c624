import type { OutputChunkRecord, OutputLineRecord, OutputLinesRecord } from "../../../_shipped/client.ts";

/** Maximum number of characters of a line that are kept. The service truncates lines at the same length. */
const maxTextLength = 4_096;

type Chunk = Pick<OutputChunkRecord, "event_id" | "data" | "output_type" | "timestamp">;

/** Splits the chunks at the end of a growing output into numbered lines. Ignores chunks that were received before. */
export class OutputSplitter {
	#last: number;
	#total: number;
	#open: OutputLineRecord | undefined;

	/**
	 * @param end a response of the service that reaches the end of the output
	 * @param before number of lines before those in the response
	 */
	constructor({ lines, event_id, last_line_open }: Pick<OutputLinesRecord, "lines" | "event_id" | "last_line_open">, before: number) {
		this.#last = Number(event_id);
		this.#total = before + lines.length;
		this.#open = last_line_open ? lines.at(-1) : undefined;
	}

	/** Id of the last stream event that was added. */
	get last(): number {
		return this.#last;
	}

	/** Number of lines so far. */
	get total(): number {
		return this.#total;
	}

	/** Adds a chunk. Returns the lines that it begins or extends. */
	take({ event_id, data, output_type, timestamp }: Chunk): OutputLineRecord[] {
		if (Number(event_id) <= this.#last) return [];
		this.#last = Number(event_id);
		const lines: OutputLineRecord[] = [];
		for (let start = 0; start < data.length; ) {
			const end = data.indexOf("\n", start);
			const part = data.slice(start, end < 0 ? data.length : end);
			const { line, text, length, ...rest } = this.#open ?? { line: this.#total + 1, text: "", length: 0, output_type, timestamp };
			const more = text.length < maxTextLength ? part.slice(0, maxTextLength - text.length) : "";
			const grown = { ...rest, line, text: text + more, length: length + part.length };
			lines.push(grown);
			this.#total = line;
			this.#open = end < 0 ? grown : undefined;
			start = end < 0 ? data.length : end + 1;
		}
		return lines;
	}
}
