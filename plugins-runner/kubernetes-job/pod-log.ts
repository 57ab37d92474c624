import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { type KubeClient, KubeRefusal, KubeUnreachable } from "./kube-client.ts";

interface PodLogOptions {
	readonly client: KubeClient;
	/** Of the log, with the container. */
	readonly path: string;
	/** Bytes of the text that have been delivered before. */
	readonly delivered: number;
	/** Whether the container is known to have ended. */
	isTerminated(): boolean;
	deliver(text: string): Promise<void>;
	onFailure(error: unknown): void;
}

/** Milliseconds before a log is asked for again. */
const tryAgain = 500;

/**
 * Follows what a pod prints. The API has no place in a log to go on from that would be exact, so whoever goes on with it reads from the
 * beginning, and leaves out as many bytes of text as are recorded. The beginning is not always the same: the kubelet begins a new file when
 * one is long, and answers with that alone. A file is known by the time of its first line; in another one than before, what was
 * printed later than all that was delivered is new.
 */
export class PodLog {
	/** Resolves when all was delivered, or when it was stopped. */
	readonly done: Promise<void>;
	readonly #options: PodLogOptions;
	readonly #stopped = new AbortController();
	/** Bytes of text since the beginning of the file that the answers begin with. */
	#delivered: number;
	/** Time of the first line of that file; undefined before any was read. */
	#file: string | undefined;
	/** The last of what was delivered: when it was printed, how much of that time, and where it ends in the file. */
	#last = { at: "", bytes: 0, end: 0 };
	#isWhole = false;

	constructor(options: PodLogOptions) {
		this.#options = options;
		this.#delivered = options.delivered;
		this.done = this.#follow();
	}

	/** Whether all that the container has printed was delivered. */
	get isWhole(): boolean {
		return this.#isWhole;
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.done;
	}

	async #follow(): Promise<void> {
		while (!this.#stopped.signal.aborted) {
			// Asked before: what was written until the end is in the answer that begins after it.
			const isLast = this.#options.isTerminated();
			try {
				await this.#read(isLast);
				if (isLast) {
					this.#isWhole = true;
					return;
				}
			} catch (error) {
				if (this.#stopped.signal.aborted) return;
				// Of a pod that is gone nothing more is to be had.
				if (error instanceof KubeRefusal && error.status === 404) return;
				if (!(error instanceof KubeRefusal || error instanceof KubeUnreachable)) return this.#options.onFailure(error);
			}
			await delay(tryAgain, undefined, { signal: this.#stopped.signal }).catch(() => {});
		}
	}

	async #read(isLast: boolean): Promise<void> {
		const { client, path } = this.#options;
		const [decoder, stamped, answer] = [new StringDecoder("utf8"), new StampedLog(), new Answer()];
		const request = { path: `${path}&follow=true&timestamps=true`, signal: this.#stopped.signal };
		for await (const piece of client.follow(request)) {
			let fresh = "";
			for (const { at, bytes } of stamped.take(piece)) fresh += this.#toFresh(answer, at, decoder.write(bytes));
			await this.#deliver(fresh);
		}
		// Half a character may be completed by what the next answer brings.
		if (isLast) await this.#deliver(this.#toFresh(answer, this.#last.at, decoder.end()));
	}

	/** What of a part of a line was not delivered yet; it counts as delivered from now on. */
	#toFresh(answer: Answer, at: string, text: string): string {
		const bytes = Buffer.byteLength(text);
		if (answer.file === undefined) this.#begin(answer, at);
		answer.add(at, bytes);
		const known = answer.isOther ? this.#countByTime(answer, bytes) : this.#delivered - (answer.bytes - bytes);
		const last = { at, bytes: answer.bytesAt, end: answer.bytes };
		if (known >= bytes) {
			if (!answer.isOther && answer.bytes > this.#last.end) this.#last = last;
			return "";
		}
		// All that is behind it is new as well, and counted from the beginning of this file.
		answer.isOther = false;
		this.#file = answer.file;
		this.#delivered = answer.bytes;
		this.#last = last;
		return known <= 0 ? text : Buffer.from(text).subarray(known).toString();
	}

	/** Of another file nothing is counted before something of it is delivered: it might be cut off in what is known. */
	#begin(answer: Answer, at: string): void {
		answer.file = at;
		this.#file ??= at;
		answer.isOther = this.#file !== at;
	}

	/** How many bytes of what came last were delivered with an earlier answer, by the time at which they were printed. */
	#countByTime({ at, bytesAt }: Answer, bytes: number): number {
		if (at === this.#last.at) return this.#last.bytes - (bytesAt - bytes);
		return toSortable(at) < toSortable(this.#last.at) ? bytes : 0;
	}

	async #deliver(text: string): Promise<void> {
		if (text !== "" && !this.#stopped.signal.aborted) await this.#options.deliver(text);
	}
}

/** How far one answer has come. */
class Answer {
	/** Time of its first line. */
	file: string | undefined;
	/** Whether it begins with another file than those before, and all of it was known so far. */
	isOther = false;
	at = "";
	/** Bytes of text, and those that were printed at the time of its last line. */
	bytes = 0;
	bytesAt = 0;

	add(at: string, bytes: number): void {
		this.bytesAt = at === this.at ? this.bytesAt + bytes : bytes;
		this.bytes += bytes;
		this.at = at;
	}
}

/** A part of a line of a log, or all of it, and when the line was printed, as the cluster writes it. */
interface StampedPart {
	readonly at: string;
	readonly bytes: Buffer;
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** Characters of the longest, with the blank behind it. */
const mostStamp = 36;

/** Takes the times out that a cluster writes before each line of a log, wherever the pieces of the answer are cut. */
class StampedLog {
	#at = "";
	/** What there is of the time, as long as that is not whole; undefined: the line itself has begun. */
	#begun: string | undefined = "";

	*take(piece: Buffer): Generator<StampedPart> {
		for (let start = 0; start < piece.length; ) {
			if (this.#begun !== undefined) {
				const blank = piece.indexOf(" ", start);
				const end = blank < 0 ? piece.length : blank + 1;
				const begun = this.#begun + piece.toString("latin1", start, end);
				start = end;
				if (blank < 0 && begun.length < mostStamp) this.#begun = begun;
				else yield* this.#begin(begun);
				continue;
			}
			const newline = piece.indexOf("\n", start);
			const end = newline < 0 ? piece.length : newline + 1;
			yield { at: this.#at, bytes: piece.subarray(start, end) };
			if (newline >= 0) this.#begun = "";
			start = end;
		}
	}

	/** What is no time belongs to the line, which counts as printed with the one before. */
	*#begin(begun: string): Generator<StampedPart> {
		this.#begun = undefined;
		const at = begun.slice(0, -1);
		if (stamp.test(at)) this.#at = at;
		else yield { at: this.#at, bytes: Buffer.from(begun, "latin1") };
	}
}

/** A time as a text that sorts as times do, to the nanosecond. */
function toSortable(at: string): string {
	const [, seconds = "", fraction = "", zone = ""] = stamp.exec(at) ?? [];
	if (seconds === "") return "";
	return `${new Date(seconds + zone).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}`;
}
