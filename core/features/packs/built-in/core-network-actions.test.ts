import * as assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import { httpRequest } from "../../../../plugins-runner/http-request/index.ts";
import { injectTrigger } from "../../../../plugins-runner/inject-trigger/index.ts";
import { principal, startEngine } from "../../../testing/engine/engine.test-support.ts";

test("core.http asks a server, and its secrets show in no record", async () => {
	const seen: (string | undefined)[] = [];
	const server = createServer((request, answer) => {
		seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
		if (request.url === "/slow") return;
		answer.writeHead(200, { "content-type": "application/json" }).end('{"answer": 42}');
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { engine, submit, settled, stop } = await startEngine({ runners: [httpRequest()] });
	try {
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const parameters = { url: `${url}/x`, auth: { token: "do-not-show" }, params: { a: 1 } };
		const { id } = await submit(parameters, { action: "core.http" });
		const { status, result } = await settled(id);
		assert.equal(status, "succeeded", JSON.stringify(result));
		assert.deepEqual([result?.["status_code"], result?.["body"], result?.["parsed"]], [200, { answer: 42 }, true]);
		assert.deepEqual(seen, ["GET /x?a=1 Bearer do-not-show"]);
		const slow = await submit({ url: `${url}/slow`, timeout: 0.1 }, { action: "core.http" });
		assert.equal((await settled(slow.id)).status, "timeout");
		const canceled = await submit({ url: `${url}/slow` }, { action: "core.http" });
		while (!seen.includes("GET /slow undefined") || seen.length < 3) await new Promise((resolve) => setImmediate(resolve));
		await engine.executions.cancel(canceled.id, principal);
		assert.equal((await settled(canceled.id)).status, "canceled");
	} finally {
		await stop();
		server.closeAllConnections();
		server.close();
	}
});

test("core.inject_trigger dispatches a trigger in a trace of its own", async () => {
	const { storage, submit, settled, stop } = await startEngine({ runners: [injectTrigger()] });
	try {
		const inject = async (parameters: object) => settled((await submit({ ...parameters }, { action: "core.inject_trigger" })).id);
		const payload = { id: "x", route: "r" };
		const first = await inject({ trigger: "core.svc.generic.inquiry", payload });
		assert.equal(first.status, "succeeded", JSON.stringify(first.result));
		const instance = await storage.get("trigger_instance", String(first.result?.["trigger_instance"]));
		assert.deepEqual([instance?.trigger, instance?.payload], ["core.svc.generic.inquiry", payload]);
		assert.equal((await storage.get("trace", instance?.trace_id ?? ""))?.trace_tag, `dispatch-${first.id}`);
		const tagged = await inject({ trigger_name: "core.svc.generic.inquiry", payload, trace_tag: "release" });
		const other = await storage.get("trigger_instance", String(tagged.result?.["trigger_instance"]));
		assert.equal((await storage.get("trace", other?.trace_id ?? ""))?.trace_tag, "release");
		const unknown = await inject({ trigger: "site.nothing" });
		assert.equal(unknown.status, "failed");
		assert.match(String(unknown.result?.["error"]), /site.nothing/);
		assert.equal((await inject({ trigger: "core.svc.generic.inquiry", payload: { id: 5 } })).status, "failed");
	} finally {
		await stop();
	}
});

test.run();
