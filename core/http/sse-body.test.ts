import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SseBody } from "./sse-body.ts";

const heartbeatText = ":\n\n";

/** A source that gives what it is told to, and what became of the stream. */
function createSource() {
	const state = { asked: 0, isLeft: false, ends: 0, failures: [] as unknown[] };
	let settle: { resolve(result: IteratorResult<Uint8Array, unknown>): void; reject(error: unknown): void } | undefined;
	let tellAsked = () => {};
	const source: AsyncIterator<Uint8Array> = {
		next: () =>
			new Promise((resolve, reject) => {
				state.asked += 1;
				settle = { resolve, reject };
				tellAsked();
			}),
		async return() {
			state.isLeft = true;
			return { done: true, value: undefined };
		},
	};
	const controller = new AbortController();
	const open = (heartbeat = 60) =>
		new SseBody(source, {
			heartbeatSeconds: heartbeat,
			signal: controller.signal,
			onEnd: () => {
				state.ends += 1;
			},
			onFailure: (error) => state.failures.push(error),
		});
	return {
		state,
		open,
		controller,
		asked: () => new Promise<void>((resolve) => (tellAsked = resolve)),
		give: (text: string) => settle?.resolve({ done: false, value: Buffer.from(text) }),
		end: () => settle?.resolve({ done: true, value: undefined }),
		fail: (error: unknown) => settle?.reject(error),
	};
}

type Source = ReturnType<typeof createSource>;

/** The texts of a stream whose source gives three pieces and ends. */
async function readAll(source: Source, pieces: AsyncIterable<Uint8Array>): Promise<string> {
	const feeding = (async () => {
		for (const text of ["one", "two", "three"]) {
			await source.asked();
			source.give(text);
		}
		await source.asked();
		source.end();
	})();
	let text = "";
	for await (const bytes of pieces) text += Buffer.from(bytes).toString();
	await feeding;
	return text;
}

async function* byReader(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
	const reader = stream.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		yield value;
	}
	await reader.closed;
}

test("its own reader reads what every other way to read it does", async () => {
	const ways = [byReader, (stream: ReadableStream<Uint8Array>) => stream, (stream: ReadableStream<Uint8Array>) => stream.tee()[0]];
	for (const toPieces of ways) {
		const source = createSource();
		assert.equal(await readAll(source, toPieces(source.open()) as AsyncIterable<Uint8Array>), `${heartbeatText}onetwothree`);
		assert.equal(source.state.ends, 1);
	}
});

test("nothing is asked of the source before the client has taken what there is", async () => {
	const source = createSource();
	const reader = source.open().getReader();
	await reader.read();
	assert.equal(source.state.asked, 0);
	const reading = reader.read();
	assert.equal(source.state.asked, 1);
	source.give("one");
	assert.equal(Buffer.from((await reading).value ?? []).toString(), "one");
	assert.equal(source.state.asked, 1);
	await reader.cancel();
	assert.ok(source.state.isLeft);
	assert.equal(source.state.ends, 1);
	assert.equal((await reader.read()).done, true);
});

test("who waits gets heartbeats, and then what the source was asked for before", async () => {
	const source = createSource();
	const reader = source.open(0.005).getReader();
	for (let beats = 0; beats < 3; beats++) assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), heartbeatText);
	assert.equal(source.state.asked, 1);
	const reading = reader.read();
	source.give("one");
	const texts = [Buffer.from((await reading).value ?? []).toString()];
	while (texts.at(-1) === heartbeatText) texts.push(Buffer.from((await reader.read()).value ?? []).toString());
	assert.equal(texts.at(-1), "one");
	await reader.cancel();
});

test("it is one reader's, until that lets it go", async () => {
	const stream = createSource().open();
	const reader = stream.getReader();
	assert.ok(stream.locked);
	assert.throws(() => stream.getReader(), TypeError);
	reader.releaseLock();
	assert.ok(!stream.locked);
	await stream.cancel();
});

test("a source that fails ends it, and so does one that its signal ends while nobody reads", async () => {
	const failing = createSource();
	const reader = failing.open().getReader();
	await reader.read();
	const reading = reader.read();
	failing.fail(new Error("gone"));
	assert.equal((await reading).done, true);
	await reader.closed;
	assert.deepEqual(failing.state.failures.map(String), ["Error: gone"]);
	const aborted = createSource();
	aborted.open();
	aborted.controller.abort();
	assert.equal(aborted.state.ends, 1);
});

test.run();
