import type { OutputLineRecord, OutputLinesRecord } from "../../../_shipped/client.ts";

/** Lines of a page; a page is read with one request. */
export const pageSize = 200;
/** Maximum number of cached pages. The least recently updated page is removed first. */
const maxPages = 40;

/** Returns the page that contains a line. Pages are numbered from 0, lines from 1. */
export function toPageOf(line: number): number {
	return Math.floor((line - 1) / pageSize);
}

/**
 * Cache of the lines of an output by their numbers. Keeps the pages that were read or extended last. A line that is received twice is
 * stored once.
 */
export class LineCache {
	readonly #pages = new Map<number, OutputLineRecord[]>();

	/** Returns a line, or undefined if it is not cached. */
	line(number: number): OutputLineRecord | undefined {
		return this.#pages.get(toPageOf(number))?.[(number - 1) % pageSize];
	}

	/** Returns the number of cached lines of a page. */
	count(page: number): number {
		return this.#pages.get(page)?.length ?? 0;
	}

	/**
	 * Stores a page that was read from the service.
	 *
	 * @param after id of the last stream event that was received
	 */
	keep(page: number, { lines, last_line_open, event_id }: OutputLinesRecord, after: number): void {
		const known = this.#pages.get(page) ?? [];
		// The last line may have grown since this response, while the page was not cached and could not be updated. It must be read again.
		const read = last_line_open && Number(event_id) < after ? lines.slice(0, -1) : lines;
		this.#put(
			page,
			Array.from({ length: Math.max(known.length, read.length) }, (_, index) => toLonger(known[index], read[index])),
		);
	}

	/** Stores a new line, or the longer version of a line that has grown. Ignores the line if the previous one is not cached. */
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
		if (this.#pages.size > maxPages && oldest !== undefined) this.#pages.delete(oldest);
	}
}

/** Returns the longer of two versions of a line. Lines only grow, so the longer version is the newer one. */
function toLonger(one: OutputLineRecord | undefined, other: OutputLineRecord | undefined): OutputLineRecord {
	if (one === undefined || (other !== undefined && other.length > one.length)) return other as OutputLineRecord;
	return one;
}
