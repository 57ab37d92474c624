import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { Engine } from "./engine.ts";
import { EngineClient } from "./engine-client.ts";
import { EngineRefusal } from "./engine-errors.ts";

test("a container that is just being removed is none, whatever the status of the answer", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-engine-"));
	const messages = [
		"container 1 does not exist in database: no such container",
		"can not get logs from container which is dead or marked for removal",
		"the disk is full",
	];
	const server = createServer((request, response) => {
		const isPing = request.url?.endsWith("/_ping") === true;
		response.writeHead(isPing ? 200 : 500, { "api-version": "1.41", "content-type": "application/json" });
		response.end(isPing ? "OK" : JSON.stringify({ message: messages.shift() }));
	}).listen(join(directory, "socket"));
	await once(server, "listening");
	try {
		const engine = new Engine(new EngineClient({ socketPath: join(directory, "socket") }));
		assert.equal(await engine.look("1"), undefined);
		assert.equal(await engine.logs("1", false, new AbortController().signal), undefined);
		await assert.rejects(engine.look("1"), (error: Error) => error instanceof EngineRefusal && /the disk is full/.test(error.message));
	} finally {
		server.closeAllConnections();
		server.close();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
