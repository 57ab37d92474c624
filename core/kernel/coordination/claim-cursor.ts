import { fromTimestamp, toTimestamp } from "../basics/clock.ts";

/** Microseconds that a wide range starts before the cursor. Allows for writes of other nodes that take long, and for clocks that differ. */
const wideMarginUs = 5_000_000;
/** Microseconds that a range with the usual margin starts before the cursor. Most records are committed within this time. */
const defaultMarginUs = 1_000_000;

/** Pause after a full scan, as a multiple of its duration. */
const fullScanPauseFactor = 50;
/** Maximum milliseconds of a pause that is derived from the duration of a full scan. */
const maxFullScanPauseMs = 60_000;

/**
 * Remembers how far claiming has progressed, for records that are claimed in the order of a timestamp. A claim starts a margin before the
 * last claimed timestamp: 1 s, or 5 s for writers on other nodes. So rows that are committed late are not passed over. A claim without a
 * lower bound would make PostgreSQL scan every dead index entry while a long snapshot holds back vacuum.
 *
 * Records may still appear before the range, for example from a node with a wrong clock. A full scan, without lower bound, finds them. It
 * is due every `interval`. If a full scan takes long, the next one is due after 50 times its duration, but at most after 60 s.
 *
 * A claim takes only as many records as there are free slots, so a full scan may need several claims. `#scanPosition` is its progress. It
 * moves up with each claim, until it reaches `#reached`, the progress of earlier claims. Then the usual range applies again. Ranges that
 * are wide, or contain a reported earlier record, also begin before `#reached` and move up.
 */
export class ClaimCursor {
	readonly #interval: number;
	readonly #now: () => number;
	/** The latest claimed timestamp. */
	#reached = 0;
	/** Progress of a scan that started at a timestamp before `#reached`; undefined if no such scan is in progress. */
	#scanPosition: number | undefined;
	#isWide = false;
	/** The earliest timestamp that was reported to `noteStored` since the last range. */
	#earliestExpected = Number.POSITIVE_INFINITY;
	#fullScanStart = Number.NEGATIVE_INFINITY;
	/** True until the first result of a full scan has been reported. */
	#isFullScanPending = false;
	/** Milliseconds from the start of one full scan to the next. */
	#fullScanPauseMs: number;

	/**
	 * @param interval milliseconds from one full scan to the next, unless a full scan takes long; default 10,000
	 * @param now returns monotonic milliseconds from any origin
	 */
	constructor(interval = 10_000, now: () => number = () => performance.now()) {
		this.#interval = interval;
		this.#fullScanPauseMs = interval;
		this.#now = now;
	}

	/** True if the next range has no lower bound. */
	get isFullScanDue(): boolean {
		return this.#now() - this.#fullScanStart >= this.#fullScanPauseMs;
	}

	/**
	 * Returns the condition on the timestamp for the next claim, with the wide margin. If a full scan is due, the condition matches every
	 * record.
	 */
	nextWideRange(): { readonly gte: string } {
		this.widen();
		return this.nextRange();
	}

	/**
	 * Returns the condition on the timestamp for the next claim, with the usual margin unless `widen` was called. The usual margin suits
	 * frequent claims: the wide one costs more the faster new records arrive. The caller must call `noteStored` for each record that this node
	 * stores, and `widen` from time to time for those of other nodes. Otherwise records that are committed late wait for a full scan.
	 */
	nextRange(): { readonly gte: string } {
		const [isWide, expected] = [this.#isWide, this.#earliestExpected];
		this.#isWide = false;
		this.#earliestExpected = Number.POSITIVE_INFINITY;
		if (this.isFullScanDue) {
			this.#fullScanStart = this.#now();
			this.#isFullScanPending = true;
			this.#scanPosition = 0;
			return { gte: "" };
		}
		if (isWide) this.#scanPosition ??= this.#reached - wideMarginUs + defaultMarginUs;
		if (expected < (this.#scanPosition ?? this.#reached) - defaultMarginUs) this.#scanPosition = expected;
		return { gte: toTimestamp(Math.max(0, (this.#scanPosition ?? this.#reached) - defaultMarginUs)) };
	}

	/** Notes that a record with this timestamp was stored, so that the next range includes it. */
	noteStored(timestamp: string): void {
		this.#earliestExpected = Math.min(this.#earliestExpected, fromTimestamp(timestamp));
	}

	/** Gives the next range the wide margin. */
	widen(): void {
		this.#isWide = true;
	}

	/** Advances the cursor to the timestamp of a claimed record. Claims take the earliest records first, so the next range can start there. */
	advanceTo(timestamp: string): void {
		this.#measureFullScan();
		const time = fromTimestamp(timestamp);
		if (this.#scanPosition !== undefined) {
			this.#scanPosition = time < this.#reached ? Math.max(this.#scanPosition, time) : undefined;
		}
		this.#reached = Math.max(this.#reached, time);
	}

	/** Notes that no record is left in the range. If `timestamp` is given, no record is left before it either. */
	markExhausted(timestamp?: string): void {
		this.#measureFullScan();
		if (timestamp !== undefined) this.advanceTo(timestamp);
		this.#scanPosition = undefined;
	}

	/** Makes the next range unbounded, since records may have appeared at any timestamp. */
	reset(): void {
		this.#fullScanStart = Number.NEGATIVE_INFINITY;
	}

	/** Derives the pause before the next full scan from the duration of the current one, when its first result is reported. */
	#measureFullScan(): void {
		if (!this.#isFullScanPending) return;
		this.#isFullScanPending = false;
		const durationMs = this.#now() - this.#fullScanStart;
		this.#fullScanPauseMs = Math.max(this.#interval, Math.min(fullScanPauseFactor * durationMs, maxFullScanPauseMs));
	}
}
