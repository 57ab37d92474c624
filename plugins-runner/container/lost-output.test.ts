import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { containerRunner } from "./index.ts";
import { shell } from "./service.test-support.ts";

/** Whose container ends at once and well, and is removed by somebody before what it has printed can be read. */
class ForgetfulEngine {
	#labels: unknown = {};
	#status = "created";

	async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://engine");
		let text = "";
		for await (const piece of request) text += String(piece);
		const send = (status: number, body: object) =>
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
		if (pathname.endsWith("/containers/create")) {
			this.#labels = (JSON.parse(text) as { readonly Labels: unknown }).Labels;
			return void send(201, { Id: "1" });
		}
		if (pathname.endsWith("/start")) {
			this.#status = "exited";
			return void send(204, {});
		}
		if (pathname.endsWith("/wait")) return void send(200, { StatusCode: 0 });
		if (pathname.endsWith("/logs")) return void (searchParams.has("follow") ? response.end() : send(404, { message: "no such container" }));
		return void send(200, { Id: "1", Config: { Labels: this.#labels }, State: { Status: this.#status, ExitCode: 0 } });
	}
}

test("a container that has ended well, and is removed before all of its output was read, is no success", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-engine-"));
	const engine = new ForgetfulEngine();
	const server = createServer((request, response) => void engine.answer(request, response)).listen(join(directory, "socket"));
	await once(server, "listening");
	try {
		await withRunner(containerRunner({ host: `unix://${directory}/socket` }).create(), async (runner) => {
			const { succeeded, result } = await runner.run(createRunContext(runner, shell("echo all")));
			assert.deepEqual([succeeded, result["error"]], [false, "the container was removed by another client"]);
		});
	} finally {
		server.closeAllConnections();
		server.close();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
