import type { OutputLineRecord, OutputLinesRecord } from "../../features/clients.ts";

/** Lines that are asked for together. */
export const pageSize = 200;
/** Pages that are kept; those that were looked at longest ago go first. */
const mostPages = 40;

/** On which page a line is, from 0. */
export function toPageOf(line: number): number {
	return Math.floor((line - 1) / pageSize);
}

/** Lines of an output by their numbers, those that were read or printed lately. Whatever comes twice is there once. */
export class LogPages {
	readonly #pages = new Map<number, OutputLineRecord[]>();

	/** A line; undefined where it is not there. */
	line(number: number): OutputLineRecord | undefined {
		return this.#pages.get(toPageOf(number))?.[(number - 1) % pageSize];
	}

	/** How many lines of a page are there. */
	count(page: number): number {
		return this.#pages.get(page)?.length ?? 0;
	}

	/**
	 * Keep what the service has told of a page.
	 *
	 * @param after the last event of the stream that has come by now
	 */
	keep(page: number, { lines, last_line_open, event_id }: OutputLinesRecord, after: number): void {
		const known = this.#pages.get(page) ?? [];
		// Its last line may have gone on since, when the page was not here to be added to: it is to be read again.
		const read = last_line_open && Number(event_id) < after ? lines.slice(0, -1) : lines;
		this.#put(
			page,
			Array.from({ length: Math.max(known.length, read.length) }, (_, index) => toLonger(known[index], read[index])),
		);
	}

	/** Keep a line that was printed, or has gone on; not where the one before it is not there. */
	add(line: OutputLineRecord): void {
		const page = toPageOf(line.line);
		const index = (line.line - 1) % pageSize;
		const known = this.#pages.get(page) ?? [];
		if (index > known.length) return;
		known[index] = toLonger(known[index], line);
		if (index === 0) this.#put(page, known);
	}

	#put(page: number, lines: OutputLineRecord[]): void {
		this.#pages.delete(page);
		this.#pages.set(page, lines);
		const [oldest] = this.#pages.keys();
		if (this.#pages.size > mostPages && oldest !== undefined) this.#pages.delete(oldest);
	}
}

/** Lines only grow. */
function toLonger(one: OutputLineRecord | undefined, other: OutputLineRecord | undefined): OutputLineRecord {
	if (one === undefined || (other !== undefined && other.length > one.length)) return other as OutputLineRecord;
	return one;
}
