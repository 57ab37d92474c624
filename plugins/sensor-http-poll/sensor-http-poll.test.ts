import * as assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import { createSensorHost, type SensorHost, testSensor } from "../../core/testing/index.ts";
import { type HttpPollOptions, httpPoll } from "./index.ts";

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function startServer(respond: Respond) {
	const server = createServer(respond);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/status`,
		stop: () =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

testSensor({
	test,
	name: "http poll",
	create: async () => {
		let count = 0;
		const server = await startServer((_request, response) => response.end(`body ${count}`));
		return {
			plugin: httpPoll({ url: server.url }),
			host: { poll_interval: 0.02 },
			async ready(host) {
				while (host.items.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
			},
			async provoke() {
				count += 1;
			},
			cleanUp: server.stop,
		};
	},
});

interface Setup {
	readonly host: SensorHost;
	readonly requests: readonly IncomingMessage[];
	/** What was logged as a warning. */
	readonly problems: readonly string[];
	/** Wait for so many more requests to have been answered and seen to. */
	rounds(count: number): Promise<void>;
	answer(respond: Respond): void;
}

async function withPoll(
	respond: Respond,
	use: (setup: Setup) => Promise<void>,
	options: Partial<HttpPollOptions> = {},
	host = createSensorHost({ poll_interval: 0.01 }),
): Promise<void> {
	const requests: IncomingMessage[] = [];
	let current = respond;
	const server = await startServer((request, response) => {
		requests.push(request);
		current(request, response);
	});
	const problems: string[] = [];
	const context = host.createContext();
	const logger = {
		...context.logger,
		warn: (_message: string, fields: unknown) => void problems.push((fields as { problem: string }).problem),
	};
	const run = httpPoll({ url: server.url, ...options })
		.create()
		.run({ ...context, logger });
	try {
		await use({
			host,
			requests,
			problems,
			async rounds(count) {
				const end = requests.length + count + 1;
				while (requests.length < end) await new Promise((resolve) => setTimeout(resolve, 2));
			},
			answer(next) {
				current = next;
			},
		});
	} finally {
		context.abort();
		await run;
		await server.stop();
	}
}

const say =
	(body: string, status = 200, headers: Record<string, string> = {}): Respond =>
	(_request, response) =>
		response.writeHead(status, headers).end(body);

test("the first answer is kept, and each change of status or body is dispatched once", () =>
	withPoll(say("a"), async ({ host, rounds, answer }) => {
		await rounds(2);
		assert.equal(host.dispatched.length, 0);
		answer(say('{"load": 3}', 200, { "content-type": "application/json; charset=utf-8", "set-cookie": "a=b" }));
		await host.waitFor(1);
		await rounds(2);
		answer(say('{"load": 3}', 503));
		await host.waitFor(2);
		await rounds(2);
		const [first, second, ...rest] = host.dispatched;
		assert.deepEqual(rest, []);
		assert.equal(first?.trigger, "default.http_poll.answer");
		const { headers, url, ...payload } = first?.payload ?? {};
		assert.match(String(url), /^http:\/\/127\.0\.0\.1:\d+\/status$/);
		assert.ok(!Object.hasOwn(headers as object, "set-cookie"));
		assert.deepEqual(payload, {
			sensor: "http-poll",
			status_code: 200,
			body: { load: 3 },
			truncated: false,
			changed: ["body"],
			previous_status_code: 200,
		});
		assert.deepEqual(second?.payload["changed"], ["status_code"]);
		assert.equal(second?.payload["previous_status_code"], 200);
		assert.equal(second?.payload["body"], '{"load": 3}');
	}));

test("with `always` each answer is dispatched", () =>
	withPoll(
		say("same", 200, { etag: '"1"' }),
		async ({ host, requests }) => {
			await host.waitFor(3);
			assert.deepEqual(host.dispatched[2]?.payload["changed"], []);
			assert.equal(requests[2]?.headers["if-none-match"], undefined);
		},
		{ dispatch: "always" },
	));

test("the server is asked for changes only, with the headers of the options", () =>
	withPoll(
		(request, response) => {
			const isKnown = request.headers["if-none-match"] === '"1"' && request.headers["if-modified-since"] !== undefined;
			response
				.writeHead(isKnown ? 304 : 200, { etag: '"1"', "last-modified": "Wed, 21 Oct 2015 07:28:00 GMT" })
				.end(isKnown ? undefined : "a");
		},
		async ({ host, requests, rounds, answer }) => {
			await rounds(3);
			assert.equal(host.dispatched.length, 0);
			assert.equal(requests[1]?.headers["if-none-match"], '"1"');
			assert.equal(requests[1]?.headers.authorization, "Bearer token");
			answer(say("b", 200, { etag: '"2"' }));
			await host.waitFor(1);
		},
		{ headers: { authorization: "Bearer token" } },
	));

test("what changed while the sensor was away is told after a restart, once", async () => {
	let body = "a";
	const server = await startServer((_request, response) => response.end(body));
	const host = createSensorHost({ poll_interval: 0.01 });
	const sensor = httpPoll({ url: server.url }).create();
	const runUntil = async (isDone: () => boolean) => {
		const context = host.createContext();
		const run = sensor.run(context);
		while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 2));
		context.abort();
		await run;
	};
	await runUntil(() => host.items.size === 1);
	const kept = host.items.get("seen") ?? "";
	body = "b";
	await runUntil(() => host.dispatched.length === 1);
	// As after a crash between the event and what is kept.
	host.items.set("seen", kept);
	await runUntil(() => host.items.get("seen") !== kept);
	assert.equal(host.dispatched.length, 1);
	await server.stop();
});

test("failures are logged without query or headers, and the sensor goes on", () =>
	withPoll(
		say("a"),
		async ({ host, rounds, answer, problems }) => {
			await rounds(1);
			answer((request) => request.socket.destroy());
			while (problems.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
			assert.match(problems[0] ?? "", /^127\.0\.0\.1:\d+ did not answer: /);
			answer(() => {});
			while (!problems.some((problem) => /timeout/.test(problem))) await new Promise((resolve) => setTimeout(resolve, 2));
			answer(say("b"));
			await host.waitFor(1);
		},
		{ timeout: 0.1 },
	));

test("long bodies are cut, and redirects are followed when that is allowed", async () => {
	const long = say("x".repeat(100_000), 200, { "content-type": "application/json" });
	await withPoll(
		long,
		async ({ host }) => {
			await host.waitFor(1);
			const payload = host.dispatched[0]?.payload;
			assert.equal(payload?.["truncated"], true);
			assert.equal(String(payload?.["body"]).length, 10);
		},
		{ dispatch: "always", max_body: 10 },
	);
	const redirecting: Respond = (request, response) =>
		request.url === "/status" ? response.writeHead(302, { location: "/other" }).end() : response.end("other");
	for (const [allow_redirects, status] of [
		[false, 302],
		[true, 200],
	] as const) {
		await withPoll(
			redirecting,
			async ({ host }) => {
				await host.waitFor(1);
				assert.equal(host.dispatched[0]?.payload["status_code"], status);
			},
			{ dispatch: "always", allow_redirects },
		);
	}
});

test("addresses that cannot be asked are refused without being shown", () => {
	for (const url of ["ftp://example.org/", "no address", "http://user:s3cret@example.org/"]) {
		assert.throws(
			() => httpPoll({ url }).create(),
			(error: Error) => /url: must/.test(error.message) && !error.message.includes("s3cret"),
		);
	}
});

test("an address that is not given is named", () => {
	const make = httpPoll as unknown as (options?: unknown) => ReturnType<typeof httpPoll>;
	for (const options of [undefined, null, {}]) assert.throws(() => make(options).create(), /^SvcError: sensor http-poll: url: required/);
});

test.run();
