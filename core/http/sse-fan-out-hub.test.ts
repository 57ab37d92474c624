import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { collectGarbage } from "../testing/collect-garbage.test-support.ts";
import { SseFanOutHub, type SseFanOutRequest } from "./sse-fan-out-hub.ts";
import type { SseSource } from "./sse-source-reader.ts";
import { SseSubscribers } from "./sse-subscribers.ts";

type Reader = AsyncIterator<Uint8Array>;

/** A source that is read when `release` says so. */
class Source {
	readonly opened: AbortSignal[] = [];
	readonly #published: Uint8Array[] = [];
	readonly #waiting = new Set<() => void>();
	#isHeld = false;
	#failure: Error | undefined;

	publish(text: string): void {
		this.#published.push(Buffer.from(text));
		this.#wake();
	}

	hold(): void {
		this.#isHeld = true;
	}

	release(): void {
		this.#isHeld = false;
		this.#wake();
	}

	fail(message: string): void {
		this.#failure = new Error(message);
		this.#wake();
	}

	#wake(): void {
		for (const wake of this.#waiting) wake();
		this.#waiting.clear();
	}

	async open(signal: AbortSignal): Promise<SseSource> {
		this.opened.push(signal);
		signal.addEventListener("abort", () => this.#wake());
		const first = this.#published.length;
		return { eventBatches: this.#read(first, signal), publishedCount: () => this.#published.length - first };
	}

	async *#read(first: number, signal: AbortSignal): AsyncGenerator<readonly Uint8Array[]> {
		let read = first;
		while (!signal.aborted) {
			const next = this.#isHeld ? undefined : this.#published[read];
			if (next !== undefined) {
				read += 1;
				yield [next];
			} else if (this.#failure !== undefined) throw this.#failure;
			else await new Promise<void>((resolve) => this.#waiting.add(resolve));
		}
	}
}

function withSource(
	name: string,
	body: (parts: { source: Source; join: (request?: Partial<SseFanOutRequest>) => Promise<Reader> }) => unknown,
) {
	test(name, async () => {
		const [source, broadcasts, over] = [new Source(), new SseFanOutHub({ maxBufferedBytes: 1_000_000 }), new AbortController()];
		const request: SseFanOutRequest = { key: "a", open: (signal) => source.open(signal), signal: over.signal };
		await body({ source, join: async (given) => (await broadcasts.join({ ...request, ...given }))[Symbol.asyncIterator]() });
		over.abort();
	});
}

/** What a reader has got when it has nothing more to read at the moment. */
async function readAll(reader: Reader, length: number): Promise<string> {
	let text = "";
	while (text.length < length) {
		const { done, value } = await reader.next();
		if (done === true) return text;
		text += Buffer.from(value).toString();
	}
	return text;
}

const lagged = (error: unknown) => isSvcError(error, "SVC_SUBSCRIBER_LAGGED");

/** Everything that was published has been handed out by then, whatever pause there is between two writes. */
async function settle(): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, 60));
	for (let step = 0; step < 5; step += 1) await turn();
}

withSource("everybody gets the very same bytes, in pieces of what came together", async ({ source, join }) => {
	const readers = await Promise.all([join(), join(), join()]);
	const reads = readers.map((reader) => reader.next());
	source.publish("one ");
	source.publish("two ");
	const pieces = (await Promise.all(reads)).map(({ value }) => value);
	assert.equal(Buffer.from(pieces[0] ?? []).toString(), "one two ");
	assert.ok(pieces.every((piece) => piece === pieces[0]));
	assert.equal(source.opened.length, 1);
});

test("what all have taken, or nobody takes any more, is kept for none of them", async () => {
	const broadcast = new SseSubscribers({ onPending: () => {}, onEmpty: () => {} });
	const readers = [broadcast.addSubscriber(), broadcast.addSubscriber(), broadcast.addSubscriber()];
	for (const reader of readers) broadcast.startSubscriber(reader);
	const [quick, slow, gone] = readers as [Reader, Reader, (typeof readers)[number]];
	const isHeld = async (piece: WeakRef<object>) => {
		await turn();
		collectGarbage();
		return piece.deref() !== undefined;
	};
	// A function of its own, so that nothing here holds the piece.
	const hand = async () => {
		broadcast.add(Buffer.from("one "));
		broadcast.add(Buffer.from("two "));
		broadcast.flush();
		return new WeakRef((await quick.next()).value as object);
	};
	const pieces = [await hand(), await hand(), await hand()] as const;
	for (const _piece of pieces) await slow.next();
	assert.equal(await isHeld(pieces[0]), true);
	gone.fail();
	assert.equal(await isHeld(pieces[0]), false);
	assert.equal(await isHeld(pieces[2]), true);
});

/** A broadcast whose first write has taken 10 ms, and that has more to write. */
class Paused {
	/** Milliseconds of the pauses so far. */
	readonly pauses: number[] = [];
	wasLittle = false;
	isWritten = false;
	now = 0;
	readonly #over = new AbortController();
	#go: () => void = () => {};

	/** @param again when there is more to write */
	static async start(again = 10): Promise<Paused> {
		const [paused, source] = [new Paused(), new Source()];
		const broadcasts = new SseFanOutHub({
			now: () => paused.now,
			schedule: (go, milliseconds) => {
				paused.#go = go;
				paused.pauses.push(milliseconds);
			},
			createLoopLoad: () => ({ wasLow: () => paused.wasLittle }),
		});
		const { signal } = paused.#over;
		const stream = await broadcasts.join({ key: "a", open: (ended) => source.open(ended), signal });
		await paused.#write(source, stream[Symbol.asyncIterator](), again);
		return paused;
	}

	async #write(source: Source, reader: Reader, again: number): Promise<void> {
		const first = reader.next().then(() => {
			this.now = 10;
		});
		source.publish("one");
		await first;
		if (again > this.now) for (let step = 0; step < 5; step += 1) await turn();
		this.now = again;
		void reader.next().then(() => {
			this.isWritten = true;
		});
		source.publish("two");
		while (this.pauses.length === 0) await turn();
	}

	/** The pause is over. */
	async goOn(now: number): Promise<void> {
		this.now = now;
		this.#go();
		for (let step = 0; step < 5; step += 1) await turn();
	}

	end(): void {
		this.#over.abort();
	}
}

test("more is gathered for three times as long as writing took", async () => {
	const paused = await Paused.start();
	await paused.goOn(20);
	assert.ok(!paused.isWritten);
	assert.deepEqual(paused.pauses, [10, 1]);
	await paused.goOn(40);
	assert.ok(paused.isWritten);
	paused.end();
});

test("more is gathered for no longer than writing took where the event loop has little else to do", async () => {
	const paused = await Paused.start();
	paused.wasLittle = true;
	await paused.goOn(20);
	assert.ok(paused.isWritten);
	assert.deepEqual(paused.pauses, [10]);
	paused.end();
});

test("where the pause that writing took is over already, the rest of it begins at once", async () => {
	const paused = await Paused.start(25);
	await paused.goOn(25);
	assert.ok(!paused.isWritten);
	assert.deepEqual(paused.pauses, [0, 1]);
	paused.end();
});

withSource("another key is another stream", async ({ source, join }) => {
	await join();
	await join({ key: "b" });
	assert.equal(source.opened.length, 2);
});

withSource("whoever comes gets what is published from then on, though others still wait for what was before", async ({ source, join }) => {
	const early = await join();
	source.hold();
	source.publish("before ");
	const late = await join();
	source.publish("after");
	source.release();
	assert.equal(await readAll(early, 12), "before after");
	assert.equal(await readAll(late, 5), "after");
});

withSource("a reader that is 2,000 events behind is ended, and the others get everything", async ({ source, join }) => {
	const [slow, quick] = [await join(), await join()];
	const all = readAll(quick, 2_002);
	for (let number = 0; number < 2_001; number += 1) source.publish("x");
	await settle();
	source.publish("y");
	assert.match(await all, /^x{2001}y$/);
	await assert.rejects(slow.next(), lagged);
});

withSource("a reader that is not further behind loses nothing", async ({ source, join }) => {
	const slow = await join();
	for (let number = 0; number < 2_000; number += 1) source.publish("x");
	await settle();
	source.publish("y");
	await settle();
	assert.match(await readAll(slow, 2_001), /^x{2000}y$/);
});

withSource("what is kept for all slow readers together is limited: the slowest is ended first", async ({ source, join }) => {
	const piece = "x".repeat(100_000);
	const [slowest, slow, quick] = [await join(), await join({ key: "b" }), await join()];
	source.publish(piece);
	await settle();
	assert.equal((await slow.next()).done, false);
	assert.equal((await quick.next()).done, false);
	for (let number = 0; number < 6; number += 1) {
		source.publish(piece);
		await settle();
		assert.equal((await quick.next()).done, false);
	}
	await assert.rejects(slowest.next(), lagged);
	assert.equal((await readAll(slow, 600_000)).length, 600_000, "there is room for this one again");
	source.publish("end");
	assert.equal(await readAll(quick, 3), "end");
});

withSource("the source ends with its last reader, and is opened again for the next", async ({ source, join }) => {
	const over = new AbortController();
	const [one, other] = [await join({ signal: over.signal }), await join()];
	over.abort();
	assert.equal((await one.next()).done, true);
	assert.equal(source.opened[0]?.aborted, false);
	await other.return?.();
	assert.equal(source.opened[0]?.aborted, true);
	const again = await join();
	source.publish("again");
	assert.equal(await readAll(again, 5), "again");
	assert.equal(source.opened.length, 2);
});

withSource("when the source fails, readers get what came before, and then the failure", async ({ source, join }) => {
	const reader = await join();
	source.publish("before");
	await settle();
	source.fail("broken");
	await settle();
	assert.equal(await readAll(reader, 6), "before");
	await assert.rejects(reader.next(), /broken/);
	const open = async () => {
		throw new Error("cannot be opened");
	};
	await assert.rejects(join({ key: "c", open }), /cannot be opened/);
	assert.equal((await Promise.resolve(join({ key: "c" }))).return !== undefined, true, "and is tried again");
});

test("a stream whose source cannot be opened leaves nothing in memory", async () => {
	const broadcasts = new SseFanOutHub();
	const fail = async () => {
		const error = new Error("no source");
		await assert.rejects(broadcasts.join({ key: "k", open: () => Promise.reject(error), signal: new AbortController().signal }));
		return new WeakRef(error);
	};
	const error = await fail();
	for (let round = 0; round < 5 && error.deref() !== undefined; round += 1) {
		await turn();
		collectGarbage();
	}
	assert.equal(error.deref(), undefined);
});

test.run();
