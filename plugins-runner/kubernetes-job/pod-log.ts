import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { type KubeClient, KubeRefusal, KubeUnreachable } from "./kube-client.ts";

interface PodLogOptions {
	readonly client: KubeClient;
	/** Path and query of the log request, including the container. */
	readonly path: string;
	/** Bytes of the output that were delivered by an earlier process. */
	readonly delivered: number;
	/** Returns true if the container is known to have ended. */
	isTerminated(): boolean;
	deliver(text: string): Promise<void>;
	onFailure(error: unknown): void;
}

/** Milliseconds before a log is requested again. */
const tryAgain = 500;

/**
 * Follows the log of a pod. The API offers no exact position from which a log can be resumed. Each request therefore reads from the
 * beginning and skips the bytes that were delivered. The kubelet starts a new file when the log grows too long, and then returns only the
 * new file. The timestamp of its first line identifies a file. In a new file, everything printed after the last delivered line is new.
 */
export class PodLog {
	/** Resolves when the complete log was delivered, or when following was stopped. */
	readonly done: Promise<void>;
	readonly #options: PodLogOptions;
	readonly #stopped = new AbortController();
	/** Delivered bytes, counted from the beginning of the current file. */
	#delivered: number;
	/** Timestamp of the first line of the current file; undefined until a line was read. */
	#file: string | undefined;
	/** Last delivered position: its timestamp, the bytes with this timestamp, and the end offset in the file. */
	#last = { at: "", bytes: 0, end: 0 };
	#isWhole = false;

	constructor(options: PodLogOptions) {
		this.#options = options;
		this.#delivered = options.delivered;
		this.done = this.#follow();
	}

	/** True if the complete output of the container was delivered. */
	get isWhole(): boolean {
		return this.#isWhole;
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.done;
	}

	async #follow(): Promise<void> {
		while (!this.#stopped.signal.aborted) {
			// Read the state before the request. Output up to the end is complete only in a response that starts after the end.
			const isLast = this.#options.isTerminated();
			try {
				await this.#read(isLast);
				if (isLast) {
					this.#isWhole = true;
					return;
				}
			} catch (error) {
				if (this.#stopped.signal.aborted) return;
				// The log of a deleted pod cannot be read any more.
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
		// Flush only after the last response: the next response may complete a partial character.
		if (isLast) await this.#deliver(this.#toFresh(answer, this.#last.at, decoder.end()));
	}

	/** Returns the part of a line fragment that was not delivered before, and counts it as delivered. */
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
		// Everything after this fragment is new as well, and is counted from the beginning of this file.
		answer.isOther = false;
		this.#file = answer.file;
		this.#delivered = answer.bytes;
		this.#last = last;
		return known <= 0 ? text : Buffer.from(text).subarray(known).toString();
	}

	/**
	 * Identifies the file of a response. `#file` changes only with the first delivery from a new file, because that file may still overlap
	 * the delivered output.
	 */
	#begin(answer: Answer, at: string): void {
		answer.file = at;
		this.#file ??= at;
		answer.isOther = this.#file !== at;
	}

	/** Returns how many bytes of the fragment an earlier response has delivered, judged by the timestamp. */
	#countByTime({ at, bytesAt }: Answer, bytes: number): number {
		if (at === this.#last.at) return this.#last.bytes - (bytesAt - bytes);
		return toSortable(at) < toSortable(this.#last.at) ? bytes : 0;
	}

	async #deliver(text: string): Promise<void> {
		if (text !== "" && !this.#stopped.signal.aborted) await this.#options.deliver(text);
	}
}

/** Read position within one response. */
class Answer {
	/** Timestamp of the first line. */
	file: string | undefined;
	/** True while the response reads a new log file and an earlier response has delivered everything read so far. */
	isOther = false;
	at = "";
	/** Bytes read, and the part of them that has the timestamp of the last line. */
	bytes = 0;
	bytesAt = 0;

	add(at: string, bytes: number): void {
		this.bytesAt = at === this.at ? this.bytesAt + bytes : bytes;
		this.bytes += bytes;
		this.at = at;
	}
}

/** Line of a log or a fragment of it, with the timestamp that the cluster has written. */
interface StampedPart {
	readonly at: string;
	readonly bytes: Buffer;
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** Maximum characters of a timestamp, including the space after it. */
const maxStampLength = 36;

/** Removes the timestamps that a cluster writes before each line of a log. The chunks of the response may be split anywhere. */
class StampedLog {
	#at = "";
	/** Incomplete timestamp so far; undefined once the rest of the line has started. */
	#begun: string | undefined = "";

	*take(piece: Buffer): Generator<StampedPart> {
		for (let start = 0; start < piece.length; ) {
			if (this.#begun !== undefined) {
				const blank = piece.indexOf(" ", start);
				const end = blank < 0 ? piece.length : blank + 1;
				const begun = this.#begun + piece.toString("latin1", start, end);
				start = end;
				if (blank < 0 && begun.length < maxStampLength) this.#begun = begun;
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

	/** Yields a string that is not a timestamp as part of the line, with the timestamp of the previous line. */
	*#begin(begun: string): Generator<StampedPart> {
		this.#begun = undefined;
		const at = begun.slice(0, -1);
		if (stamp.test(at)) this.#at = at;
		else yield { at: this.#at, bytes: Buffer.from(begun, "latin1") };
	}
}

/** Converts a timestamp to a string that sorts by time, with nanoseconds. */
function toSortable(at: string): string {
	const [, seconds = "", fraction = "", zone = ""] = stamp.exec(at) ?? [];
	if (seconds === "") return "";
	return `${new Date(seconds + zone).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}`;
}
