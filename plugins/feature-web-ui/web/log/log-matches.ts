import { type ReadonlySignal, signal } from "@preact/signals";
import type { OutputType } from "../../../../core/contract/index.ts";
import { notices } from "../kit/notices.ts";
import { addressBar } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import * as texts from "../texts/log.ts";

/** Maximum number of matching lines of one search request; the next request continues after them. */
const foundAtOnce = 1_000;

interface Found {
	/** Numbers of the matching lines. */
	readonly lines: readonly number[];
	/** Line at which the next search begins; null at the end of the output. */
	readonly next: number | null;
}

/** Lines of an output that contain a string, and navigation between them. The address contains the number of the selected line. */
export class LogMatches {
	readonly #id: string;
	readonly #only: { readonly type?: OutputType };
	readonly #find: string;
	readonly #found = signal<Found | undefined>(undefined);

	constructor(id: string, type: OutputType | undefined, find: string) {
		this.#id = id;
		this.#only = type === undefined ? {} : { type };
		this.#find = find;
	}

	/** Matching lines; undefined until the first search has finished. */
	get found(): ReadonlySignal<Found | undefined> {
		return this.#found;
	}

	/** Searches from the beginning. Selects the first match unless a line is already selected. */
	async start(line: number): Promise<void> {
		const first = await this.#search(1);
		this.#found.value = first;
		if (line === 0) goTo(first.lines[0]);
	}

	/** Selects the next match below or above a line. */
	async step(line: number, isForward: boolean): Promise<void> {
		const { lines, next } = this.#found.peek() ?? { lines: [], next: null };
		const target = isForward ? lines.find((each) => each > line) : lines.findLast((each) => each < line);
		if (target !== undefined) return goTo(target);
		if (!isForward || next === null) return notices.say(isForward ? texts.lastMatch : texts.firstMatch);
		const more = await this.#search(next);
		this.#found.value = { lines: [...lines, ...more.lines], next: more.next };
		goTo(more.lines[0]);
	}

	/** Selects the next line that looks like an error. */
	async goToTrouble(line: number): Promise<void> {
		const { lines } = await client.executions.outputLines(this.#id, { ...this.#only, trouble: true, fromLine: line + 1, lines: 1 });
		if (lines[0] === undefined) notices.say(line === 0 ? texts.noError : texts.noErrorBelow);
		else goTo(lines[0].line);
	}

	async #search(fromLine: number): Promise<Found> {
		const options = { ...this.#only, find: this.#find, fromLine, lines: foundAtOnce };
		const { lines, next_line } = await client.executions.outputLines(this.#id, options);
		return { lines: lines.map((each) => each.line), next: next_line };
	}
}

function goTo(line: number | undefined): void {
	if (line !== undefined) addressBar.change({ line }, { isReplaced: true });
}
