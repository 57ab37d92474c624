import * as assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { test } from "uvu";
import { createService, type Service } from "../service/service.ts";
import { faultOf, post } from "../testing/http/http.test-support.ts";
import { type Host, type HostServer, listenOn, type Mounted, withMounted } from "../testing/http/mounted.test-support.ts";

const hosts: Readonly<Record<string, Host>> = {
	"node:http": { basePath: "/automation", start: ({ nodeHandler }) => listenOn(nodeHandler) },
	Express: {
		start(service) {
			const app = express();
			app.use("/automation", service.nodeHandler);
			app.use(express.json());
			return listenOn(app);
		},
	},
	Fastify: {
		basePath: "/automation",
		async start(service) {
			const app = fastify();
			app.register(async (scope) => {
				scope.removeAllContentTypeParsers();
				scope.addContentTypeParser("*", (_request, _body, done) => done(null));
				scope.all("/automation/*", (request, reply) => {
					reply.hijack();
					service.nodeHandler(request.raw, reply.raw);
				});
			});
			return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
		},
	},
	Hono: {
		basePath: "/automation",
		async start(service) {
			const app = new Hono<{ Bindings: HttpBindings }>();
			app.all("/automation/*", ({ req, env }) => service.fetch(req.raw, { remoteAddress: env.incoming.socket.remoteAddress }));
			return serveHono(app);
		},
	},
	"Hono with mount": {
		async start(service) {
			const app = new Hono<{ Bindings: HttpBindings }>();
			app.mount("/automation", (request, { incoming }: HttpBindings) =>
				service.fetch(request, { remoteAddress: incoming.socket.remoteAddress }),
			);
			return serveHono(app);
		},
	},
};

async function serveHono(app: Hono<{ Bindings: HttpBindings }>): Promise<HostServer> {
	const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

/** Wait for something that happens by itself. */
async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 30_000;
	while (!condition()) {
		assert.ok(performance.now() < deadline, "timed out");
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** Read a stream until it holds a text. */
async function readUntil(reader: ReadableStreamDefaultReader<string>, text: string): Promise<void> {
	for (let read = ""; !read.includes(text); ) {
		const { done, value } = await reader.read();
		assert.equal(done, false, `the stream ended after ${read}`);
		read += value;
	}
}

function forEachHost(name: string, body: (mounted: Mounted) => Promise<void>): void {
	for (const [title, host] of Object.entries(hosts)) test(`${title}: ${name}`, () => withMounted(host, body));
}

forEachHost("an action is run, followed live and left, and the service ends its streams when it stops", async (mounted) => {
	const { service, url, signIn, followers } = mounted;
	const headers = { "x-auth-token": await signIn(), "content-type": "application/json" };
	const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { ...init, headers });
	const body = JSON.stringify({ action: "default.speak", parameters: { lines: ["one"], wait: true } });
	const created = await ask("/api/v1/executions", { method: "POST", body });
	assert.equal(created.status, 201);
	const { id } = (await created.json()) as { id: string };
	const leaving = new AbortController();
	const follow = async (signal?: AbortSignal) => {
		const response = await ask(`/stream/v1/executions/${id}/output`, signal && { signal });
		assert.match(response.headers.get("content-type") ?? "", /event-stream/);
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		assert.ok(reader !== undefined);
		await readUntil(reader, '"data":"one\\n"');
		return reader;
	};
	await follow(leaving.signal);
	assert.equal(followers(), 1);
	leaving.abort();
	await until(() => followers() === 0);
	const reader = await follow();
	await service.stop();
	while (!(await reader.read()).done);
	assert.equal(followers(), 0);
	assert.equal((await ask("/api/v1/executions")).status, 503);
});

forEachHost("errors are answered as on a listener", async ({ url, signIn }) => {
	const headers = { "x-auth-token": await signIn(), "content-type": "application/json" };
	const fault = async (status: number, path: string, init: RequestInit = {}) => {
		const response = await fetch(url + path, init);
		assert.equal(response.status, status, path);
		assert.ok(response.headers.has("x-request-id"));
		return faultOf(response);
	};
	assert.match(await fault(401, "/api/v1/executions"), /Unauthorized/);
	assert.match(await fault(404, "/api/v1/nothing", { headers }), /no route for GET .*\/nothing/);
	const submit = (body: string) => ({ method: "POST", headers, body });
	assert.match(await fault(400, "/api/v1/executions", submit('{"action":7}')), /action/);
	assert.match(await fault(413, "/api/v1/executions", submit(`{"action":"${"x".repeat(200_000)}"}`)), /at most 100000 bytes/);
	const large = submit(JSON.stringify({ action: "default.speak", parameters: { lines: ["y".repeat(90_000)] } }));
	assert.equal((await fetch(`${url}/api/v1/executions`, large)).status, 201);
	assert.equal((await fetch(`${url}/health/ready`)).status, 200);
});

forEachHost("the client's address is the socket's, or what a trusted proxy says", async ({ log, signIn }) => {
	await signIn();
	await signIn({ "x-forwarded-for": "198.51.100.1, 203.0.113.9" });
	const addresses = log.filter(([message]) => message === "token granted").map(([, fields]) => fields["remote_address"]);
	assert.deepEqual(addresses, ["127.0.0.1", "203.0.113.9"]);
});

test("without a socket the client's address is what the host says, and a header alone is not believed", () =>
	withMounted({ start: async ({ nodeHandler }) => listenAtAutomation(nodeHandler) }, async ({ service, log }) => {
		const headers = { authorization: `Basic ${Buffer.from("ann:a password").toString("base64")}`, "x-forwarded-for": "203.0.113.9" };
		const ask = (remoteAddress?: string) =>
			service.fetch(new Request("http://host/auth/v1/tokens", { method: "POST", headers }), { remoteAddress });
		for (const address of ["192.0.2.7", undefined]) assert.equal((await ask(address)).status, 201);
		const addresses = log.filter(([message]) => message === "token granted").map(([, fields]) => fields["remote_address"]);
		assert.deepEqual(addresses, ["192.0.2.7", undefined]);
	}));

/** A host that takes the path of the mount off, as Express does. */
const listenAtAutomation = (handler: Service["nodeHandler"]) =>
	listenOn((request, response) => {
		request.url = request.url?.replace("/automation", "") ?? "/";
		handler(request, response);
	});

test("a body that the host has read is an error that says so, and does not keep the client waiting", () =>
	withMounted(
		{
			start(service) {
				const app = express();
				app.use(express.json());
				app.use("/automation", service.nodeHandler);
				return listenOn(app);
			},
		},
		async ({ service, url, signIn, log }) => {
			const headers = { "x-auth-token": await signIn(), "content-type": "application/json" };
			const response = await fetch(`${url}/api/v1/executions`, { ...post({ action: "default.speak" }), headers });
			assert.equal(response.status, 500);
			assert.match(await faultOf(response), /^body: already consumed before/);
			assert.ok(log.some(([, { error }]) => /^body: already consumed/.test(String(error))));
			assert.equal((await fetch(`${url}/api/v1/executions`, { headers })).status, 200);
			const request = new Request("http://host/api/v1/executions", post({}));
			await request.text();
			assert.match(await faultOf(await service.fetch(request)), /^body: already consumed before/);
		},
	));

test("a stop waits for requests that are being answered", () => {
	let open = () => {};
	const ready = new Promise<void>((resolve) => {
		open = resolve;
	});
	return withMounted({ ready, start: async ({ nodeHandler }) => listenAtAutomation(nodeHandler) }, async ({ service }) => {
		const headers = { authorization: `Basic ${Buffer.from("ann:a password").toString("base64")}` };
		const answering = service.fetch(new Request("http://host/auth/v1/tokens", { method: "POST", headers }));
		let isStopped = false;
		const stopping = service.stop().then(() => {
			isStopped = true;
		});
		await Promise.race([stopping, new Promise((resolve) => setTimeout(resolve, 100))]);
		assert.equal(isStopped, false);
		open();
		assert.equal((await answering).status, 201);
		await stopping;
	});
});

test("with a base path, addresses that do not begin with it are not found", () =>
	withMounted({ basePath: "/automation", start: ({ nodeHandler }) => listenOn(nodeHandler) }, async ({ host, url }) => {
		assert.equal((await fetch(`${url}/api/v1/health/live`)).status, 200);
		for (const path of ["/api/v1/health/live", "/automationx/health/live", "/"]) assert.equal((await fetch(host.url + path)).status, 404);
	}));

test("a base path that could not match is refused by name", () => {
	for (const basePath of ["automation", "/automation/", "/", "/a b", "/:id", "//x"]) {
		const create = () => createService({} as never, { basePath });
		assert.throws(create, { code: "SVC_CONFIG", message: /^basePath: / }, basePath);
	}
});

test.run();
