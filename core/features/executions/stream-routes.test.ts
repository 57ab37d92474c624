import * as assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "uvu";
import { createExecution, type FakeEngine, firstId, token, toView } from "../../testing/http/fake-engine.test-support.ts";
import { faultOf, until, withHttp } from "../../testing/http/http.test-support.ts";
import type { StreamEvent } from "./stream-events-exports.ts";

interface Frame {
	readonly event?: string;
	readonly id?: string;
	readonly data?: string;
}

/** Reads a stream frame by frame; comments are frames without members. */
class SseReader {
	readonly #reader: ReadableStreamDefaultReader<string>;
	readonly #controller: AbortController;
	#text = "";

	constructor(response: Response, controller: AbortController) {
		assert.equal(response.status, 200);
		assert.ok(response.body !== null);
		this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		this.#controller = controller;
	}

	/** The next frame, or undefined at the end. */
	async next(): Promise<Frame | undefined> {
		while (!this.#text.includes("\n\n")) {
			const { done, value } = await this.#reader.read();
			if (done) return undefined;
			this.#text += value;
		}
		const end = this.#text.indexOf("\n\n");
		const lines = this.#text.slice(0, end).split("\n");
		this.#text = this.#text.slice(end + 2);
		return Object.fromEntries(lines.filter((line) => !line.startsWith(":")).map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
	}

	/** The next frame that is an event. */
	async nextEvent(): Promise<Frame | undefined> {
		for (;;) {
			const frame = await this.next();
			if (frame === undefined || frame.event !== undefined) return frame;
		}
	}

	async all(): Promise<Frame[]> {
		const frames: Frame[] = [];
		for (let frame = await this.nextEvent(); frame !== undefined; frame = await this.nextEvent()) frames.push(frame);
		return frames;
	}

	leave(): void {
		this.#controller.abort();
	}
}

async function open(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
	const controller = new AbortController();
	const response = await fetch(url, { headers: { "x-auth-token": token, ...headers }, signal: controller.signal });
	return new SseReader(response, controller);
}

const outputPath = `/v1/executions/${firstId}/output`;
const running = (fake: FakeEngine) => fake.stored.push(createExecution({ status: "running" }));
const executionEvent = (changes: object = {}, name = "svc.execution__update") =>
	({ name, kind: "execution", view: toView(createExecution(changes)) }) as StreamEvent;

test("the output stream gives stored and live chunks in sequence, then EOF with an empty data line, then ends", () =>
	withHttp(async ({ urls, fake }) => {
		running(fake);
		fake.addChunk("one\n");
		const stream = await open(urls.stream + outputPath);
		assert.deepEqual(await stream.next(), {}, "a sign of life comes first");
		const first = await stream.nextEvent();
		assert.deepEqual([first?.event, first?.id], ["svc.execution.output__create", "1"]);
		assert.deepEqual(Object.keys(JSON.parse(first?.data ?? "")), [
			"id",
			"execution_id",
			"action_ref",
			"runner_ref",
			"output_type",
			"data",
			"timestamp",
		]);
		fake.addChunk("two\n", { output_type: "stderr" });
		assert.equal((await stream.nextEvent())?.id, "2");
		fake.finish();
		assert.deepEqual(await stream.nextEvent(), { event: "EOF", data: "" });
		assert.equal(await stream.nextEvent(), undefined);
		const raw = await (await fetch(urls.stream + outputPath, { headers: { "x-auth-token": token } })).text();
		assert.ok(raw.endsWith("\n\nevent: EOF\ndata:\n\n"));
	}));

test("the output stream can be filtered by type and resumed after an id, from header or query", () =>
	withHttp(async ({ urls, fake }) => {
		fake.stored.push(createExecution({ status: "succeeded" }));
		fake.addChunk("a");
		fake.addChunk("b", { output_type: "stderr" });
		fake.addChunk("c");
		const ids = async (query: string, headers = {}) =>
			(await (await open(urls.stream + outputPath + query, headers)).all()).map(({ id }) => id);
		assert.deepEqual(await ids("?output_type=stdout"), ["1", "3", undefined]);
		const wrong = await fetch(`${urls.stream}${outputPath}?output_type=nothing`, { headers: { "x-auth-token": token } });
		assert.equal(wrong.status, 400);
		assert.deepEqual(await ids("", { "last-event-id": "2" }), ["3", undefined]);
		assert.deepEqual(await ids("?last_event_id=1"), ["2", "3", undefined]);
		const bad = await fetch(`${urls.stream}${outputPath}?last_event_id=x`, { headers: { "x-auth-token": token } });
		assert.equal(bad.status, 400);
		assert.match(await faultOf(bad), /^last-event-id: /);
	}));

test("an unknown execution is an ordinary 404", () =>
	withHttp(async ({ urls }) => {
		const response = await fetch(`${urls.stream}/v1/executions/xyz/output`, { headers: { "x-auth-token": token } });
		assert.equal(response.status, 404);
		assert.ok(await faultOf(response));
	}));

test("a client that leaves ends what feeds its stream", () =>
	withHttp(async ({ urls, fake }) => {
		running(fake);
		const output = await open(urls.stream + outputPath);
		await output.next();
		output.leave();
		await until(() => fake.ended === 1);
		const events = await open(`${urls.stream}/v1/stream`);
		await events.next();
		assert.equal(fake.subscribers, 1);
		events.leave();
		await until(() => fake.subscribers === 0);
	}));

test("a stream without a socket ends with its reader", () =>
	withHttp(async ({ http, fake }) => {
		running(fake);
		const headers = { "x-auth-token": token };
		const output = await http.fetch(new Request(`http://local/stream${outputPath}`, { headers }));
		const reader = output.body?.getReader();
		await reader?.read();
		fake.addChunk("x");
		await reader?.read();
		await reader?.cancel();
		await until(() => fake.ended === 1);
		const events = await http.fetch(new Request("http://local/stream", { headers }));
		assert.equal(fake.subscribers, 1);
		await events.body?.cancel();
		await until(() => fake.subscribers === 0);
	}));

test("a quiet stream gets heartbeats", () =>
	withHttp(
		async ({ urls, fake }) => {
			running(fake);
			for (const url of [urls.stream + outputPath, `${urls.stream}/v1/stream`]) {
				const stream = await open(url);
				for (let beat = 0; beat < 3; beat += 1) assert.deepEqual(await stream.next(), {}, url);
				stream.leave();
			}
		},
		{ stream: { heartbeat: 0.05 } },
	));

test("the general stream sends executions and live actions masked, and output only when asked for", () =>
	withHttp(async ({ urls, fake }) => {
		const stream = await open(`${urls.stream}/v1/stream?show_secrets=true`);
		assert.deepEqual(fake.asked["subscribe"], ["svc.execution__*", "svc.liveaction__*", "svc.announcement__*"]);
		fake.publish({ name: "svc.execution.output__create", kind: "output", chunk: { ...chunk } });
		fake.publish(executionEvent());
		fake.publish({ name: "svc.liveaction__update", kind: "liveaction", view: toView(createExecution({ status: "running" })) });
		const execution = await stream.nextEvent();
		assert.equal(execution?.event, "svc.execution__update");
		assert.equal(JSON.parse(execution?.data ?? "").parameters.pin, "********");
		const liveaction = JSON.parse((await stream.nextEvent())?.data ?? "");
		assert.deepEqual(
			[liveaction.status, liveaction.action, liveaction.parameters.pin, liveaction.result],
			["running", "core.local", "********", {}],
		);
		stream.leave();
		const asked = await open(`${urls.stream}/v1/stream?events=svc.execution.output__create`);
		fake.publish(executionEvent());
		fake.publish({ name: "svc.execution.output__create", kind: "output", chunk: { ...chunk } });
		const output = await asked.nextEvent();
		assert.equal(output?.id, chunk.id);
		assert.ok(!("status" in JSON.parse(output?.data ?? "")));
		asked.leave();
	}));

const chunk = {
	id: "66a1f0c29d3e4b7a51c00001",
	execution_id: firstId,
	sequence: 1,
	output_type: "stdout" as const,
	timestamp: "2031-03-04T09:15:02.701112Z",
	data: "x\n",
	secret_spans: null,
	lines_before: null,
	own_lines_before: null,
	action_ref: "core.local",
	runner_ref: "local-shell-cmd",
};

test("events can be chosen by wildcard, action and execution", () =>
	withHttp(async ({ urls, fake }) => {
		const names = async (query: string) => {
			const stream = await open(`${urls.stream}/v1/stream?${query}&end_event=end&end_execution_id=${firstId}`);
			fake.publish(executionEvent({}, "svc.execution__create"));
			fake.publish(executionEvent({ id: "66a1f0c29d3e4b7a51c08d99", action_ref: "core.echo" }, "svc.execution__update"));
			fake.publish({ name: "svc.liveaction__create", kind: "liveaction", view: toView(createExecution()) });
			fake.publish({ name: "svc.announcement__x", kind: "other", data: { payload: {} } });
			fake.publish(executionEvent({ status: "succeeded" }, "end"));
			return (await stream.all()).map(({ event }) => event?.replace("svc.", ""));
		};
		assert.deepEqual(await names(""), ["execution__create", "execution__update", "liveaction__create", "announcement__x"]);
		assert.deepEqual(await names("events=svc.*__create"), ["execution__create", "liveaction__create"]);
		assert.deepEqual(await names("events=svc.[el]?*__[!u]*"), ["execution__create", "liveaction__create"]);
		assert.deepEqual(await names("action_refs=core.echo"), ["execution__update"]);
		assert.deepEqual(await names(`execution_ids=${firstId}`), ["execution__create"]);
	}));

test("the stream ends with the end event of a completed execution, which is delivered if it passes the filters", () =>
	withHttp(async ({ urls, fake }) => {
		const query = `events=svc.execution__*&end_event=svc.execution__update&end_execution_id=${firstId}`;
		const stream = await open(`${urls.api}/stream/v1/stream?${query}`);
		fake.publish(executionEvent({ status: "running" }));
		fake.publish(executionEvent({ status: "succeeded", id: "66a1f0c29d3e4b7a51c08d99" }));
		fake.publish(executionEvent({ status: "failed" }));
		fake.publish(executionEvent({ status: "running" }));
		assert.deepEqual(
			(await stream.all()).map(({ data }) => JSON.parse(data ?? "").status),
			["running", "succeeded", "failed"],
		);
	}));

test("clients who may see the same and ask for the same share what feeds them; others have their own", () =>
	withHttp(async ({ urls, fake }) => {
		const streams = await Promise.all([1, 2, 3].map(() => open(`${urls.stream}/v1/stream`)));
		assert.equal(fake.subscribers, 1);
		const other = await open(`${urls.stream}/v1/stream?events=svc.execution__update`);
		const ending = [1, 2].map(() => open(`${urls.stream}/v1/stream?end_event=svc.execution__update&end_execution_id=${firstId}`));
		const all = [...streams, other, ...(await Promise.all(ending))];
		assert.equal(fake.subscribers, 4, "each that ends by itself has its own");
		fake.publish(executionEvent({ status: "succeeded" }));
		for (const stream of all) assert.equal((await stream.nextEvent())?.event, "svc.execution__update");
		for (const stream of all) stream.leave();
		await until(() => fake.subscribers === 0);
	}));

test("clients that do not read are ended, and cost those who read nothing", () =>
	withHttp(async ({ urls, fake }) => {
		const headers = { "x-auth-token": token };
		const idle = await Promise.all(
			[1, 2, 3, 4].map(async () => {
				const [response] = (await once(get(`${urls.stream}/v1/stream`, { headers }), "response")) as [IncomingMessage];
				return response.pause();
			}),
		);
		const stream = await open(`${urls.stream}/v1/stream`);
		const payload = "x".repeat(20_000);
		const count = 3_000;
		for (let number = 0; number < count; number += 1) {
			fake.publish({ name: "svc.announcement__x", kind: "other", data: { number, payload } });
			// At most a hundred events are on the way to it.
			if (number >= 100) assert.equal(JSON.parse((await stream.nextEvent())?.data ?? "").number, number - 100);
		}
		assert.equal(fake.subscribers, 1);
		for (const response of idle) {
			let size = 0;
			for await (const part of response) size += (part as Buffer).byteLength;
			assert.ok(size < (count * payload.length) / 2, `${size} bytes were kept for it`);
		}
		stream.leave();
		await until(() => fake.subscribers === 0);
	}));

test("nothing is taken from the engine for a client that does not read", () =>
	withHttp(async ({ urls, fake }) => {
		running(fake);
		const piece = "x".repeat(65_536);
		const count = 1_000;
		let taken = 0;
		const { follow } = fake;
		fake.follow = async function* (...given) {
			for await (const item of follow.apply(fake, given)) {
				taken += 1;
				yield item;
			}
		};
		for (let index = 0; index < count; index += 1) fake.addChunk(piece);
		fake.finish();
		const request = get(urls.stream + outputPath, { headers: { "x-auth-token": token } });
		const [response] = (await once(request, "response")) as [IncomingMessage];
		response.pause();
		let before = -1;
		while (before !== taken) {
			before = taken;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		assert.ok(taken < count / 2, `taken ${taken}`);
		let size = 0;
		for await (const part of response) size += (part as Buffer).byteLength;
		assert.ok(size > count * piece.length);
		assert.equal(taken, count);
	}));

test.run();
