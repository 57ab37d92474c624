import * as assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { KubeClient, KubeUnreachable } from "./kube-client.ts";

/** Runs with a server that sends the first half of a body, and timers that stand still until they are ticked. */
async function withHalfAnswer(use: (client: KubeClient, response: Promise<ServerResponse>) => Promise<void>): Promise<void> {
	const server = createServer((_, response) => void response.write('{"kind":')).listen(0, "127.0.0.1");
	await once(server, "listening");
	const client = new KubeClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
	mock.timers.enable({ apis: ["setTimeout"] });
	try {
		await use(
			client,
			once(server, "request").then(([, response]) => response as ServerResponse),
		);
	} finally {
		mock.timers.reset();
		client.stop();
		server.closeAllConnections();
		server.close();
	}
}

/** Resolves when a client in this process has received the head of an answer and has had a turn to act on it. */
async function answerBegins(): Promise<void> {
	const name = "http.client.response.finish";
	await new Promise<void>((resolve) => {
		subscribe(name, function listener() {
			unsubscribe(name, listener);
			resolve();
		});
	});
	await turn();
}

test("an answer whose body stalls is cut off", () =>
	withHalfAnswer(async (client) => {
		const begins = answerBegins();
		const end = client.ask({ path: "/api" }).catch((error: unknown) => error);
		await begins;
		mock.timers.tick(30_000);
		const error = await end;
		assert.ok(error instanceof KubeUnreachable && error.message === "the response to /api was incomplete", String(error));
	}));

test("an answer that is followed may be silent for hours", () =>
	withHalfAnswer(async (client, response) => {
		const pieces = client.follow({ path: "/api" });
		assert.equal(String((await pieces.next()).value), '{"kind":');
		mock.timers.tick(7_200_000);
		(await response).end('"Pod"}');
		assert.equal(String((await pieces.next()).value), '"Pod"}');
		assert.equal((await pieces.next()).done, true);
	}));

test.run();
