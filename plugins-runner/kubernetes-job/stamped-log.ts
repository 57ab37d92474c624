/** A part of a line of a log, or all of it, and when the line was printed, as the cluster writes it. */
export interface StampedPart {
	readonly at: string;
	readonly bytes: Buffer;
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
/** Characters of the longest, with the blank behind it. */
const mostStamp = 36;

/** Takes the times out that a cluster writes before each line of a log, wherever the pieces of the answer are cut. */
export class StampedLog {
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
export function toSortable(at: string): string {
	const [, seconds = "", fraction = "", zone = ""] = stamp.exec(at) ?? [];
	if (seconds === "") return "";
	return `${new Date(seconds + zone).toISOString().slice(0, 19)}.${fraction.padEnd(9, "0")}`;
}
