import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SvcError } from "../contract/index.ts";
import type { Principal } from "../kernel/basics/principal.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { toEventStream, toTextStream } from "./sse.ts";
import { StreamAuthorization, type StreamUnauthorizedError } from "./stream-authorization.ts";

const principal: Principal = {
	username: "ann",
	isAdmin: false,
	roles: ["observer"],
	authentication: { method: "API key", location: "header" },
};
const offered = { apiKey: "a key", location: "header" } as const;
const seconds = 1_000;

/** A watch on a clock that stands still, of which the test says what becomes of the credential. */
function setUp() {
	const clock = createManualClock();
	const state: { answer: () => Promise<Principal>; asked: number } = { answer: async () => principal, asked: 0 };
	const watch = new StreamAuthorization({
		authenticate: () => {
			state.asked += 1;
			return state.answer();
		},
		now: () => clock.now() / 1_000,
	});
	const ended: string[] = [];
	const open = (name: string, by = principal) =>
		watch.add({ offered, principal: by }, ({ message }: StreamUnauthorizedError) => ended.push(`${name}: ${message}`));
	return { clock, state, watch, ended, open };
}

test("all streams of one credential are asked about once, and none that has ended", async () => {
	const { state, watch, ended, open } = setUp();
	const forget = Array.from({ length: 50 }, (_, index) => open(String(index)));
	await watch.check();
	assert.equal(state.asked, 1);
	for (const one of forget.slice(1)) one();
	state.answer = async () => Promise.reject(new SvcError("SVC_UNAUTHORIZED", "Unauthorized - the API key is disabled"));
	await watch.check();
	assert.deepEqual(ended, ["0: the credential is no longer valid"]);
	forget[0]?.();
	await watch.check();
	assert.equal(state.asked, 2);
});

for (const [what, changes] of [
	["role is taken away", { roles: [] }],
	["role is given", { roles: ["observer", "speaker"] }],
	["key is narrowed", { scopes: ["stream_view"] }],
	["key is given to somebody else", { username: "bob" }],
	["role admin is taken away", { isAdmin: true }],
] as const) {
	test(`a stream ends when a ${what}`, async () => {
		const { state, watch, ended, open } = setUp();
		const forget = open("one");
		state.answer = async () => ({ ...principal, ...changes });
		await watch.check();
		assert.deepEqual(ended, ["one: the permissions of the user have changed"]);
		forget();
	});
}

for (const [what, answer] of [
	["fails", async () => Promise.reject(new SvcError("SVC_UNAVAILABLE", "the storage is away"))],
	["hangs", () => new Promise<Principal>(() => {})],
] as const) {
	test(`a stream goes on while the look at its credential ${what} for a moment, and ends within 15 seconds`, async () => {
		const { clock, state, watch, ended, open } = setUp();
		const forget = open("one");
		await watch.check();
		state.answer = answer;
		let passed = 0;
		for (; ended.length === 0 && passed < 60; passed += 4) {
			clock.advance(4 * seconds);
			void watch.check();
			await new Promise((resolve) => setImmediate(resolve));
			if (passed === 0) assert.deepEqual(ended, []);
		}
		assert.deepEqual(ended, ["one: the credential could not be confirmed"]);
		assert.ok(passed < 15, `${passed} s`);
		forget();
	});
}

const waiting = async function* (signal: AbortSignal): AsyncGenerator<never> {
	await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

test("an event stream that is ended says why in a comment, also to a client that does not read", async () => {
	const { state, watch, open } = setUp();
	open("other")();
	state.answer = async () => Promise.reject(new SvcError("SVC_UNAUTHORIZED", "Unauthorized"));
	const controller = new AbortController();
	let ends = 0;
	watch.add({ offered, principal }, (reason) => controller.abort(reason));
	const stream = toEventStream(waiting(controller.signal), {
		heartbeatSeconds: 15,
		signal: controller.signal,
		onEnd: () => {
			ends += 1;
		},
		logger: console,
		metrics: { recordStreamPiece: () => {}, recordSlowClient: () => {} },
	});
	await watch.check();
	assert.equal(ends, 1);
	watch.stop();
	assert.equal(await new Response(stream).text(), ":\n\n: the credential is no longer valid\n\n");
});

test("a text that is ended is cut off, so that nobody takes it for the whole", async () => {
	const { state, watch } = setUp();
	state.answer = async () => Promise.reject(new SvcError("SVC_UNAUTHORIZED", "Unauthorized"));
	const controller = new AbortController();
	watch.add({ offered, principal }, (reason) => controller.abort(reason));
	const pieces = (async function* () {
		for (;;) yield "piece";
	})();
	const stream = toTextStream(pieces, { signal: controller.signal, onEnd: () => watch.stop() });
	await watch.check();
	await assert.rejects(new Response(stream).text());
});

test.run();
