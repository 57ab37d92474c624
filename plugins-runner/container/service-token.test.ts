import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { containerRunner } from "./index.ts";
import { shell } from "./service.test-support.ts";

/** What the engine is asked to create for a run with these variables; nothing is created. */
async function describe(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
	const directory = await mkdtemp(join(tmpdir(), "svc-engine-"));
	let description = "";
	const server = createServer((request, response) => {
		let text = "";
		request.on("data", (piece) => {
			text += String(piece);
		});
		request.on("end", () => {
			const isCreation = request.url?.includes("/containers/create") === true;
			if (isCreation) description = text;
			response
				.writeHead(isCreation ? 400 : 200, { "content-type": "application/json" })
				.end(JSON.stringify({ message: "refused", Id: "1" }));
		});
	}).listen(join(directory, "socket"));
	await once(server, "listening");
	try {
		await withRunner(containerRunner({ host: `unix://${directory}/socket` }).create(), async (runner) => {
			await runner.run(createRunContext(runner, { ...shell("true"), environment })).catch(() => {});
		});
	} finally {
		server.closeAllConnections();
		server.close();
		await rm(directory, { recursive: true, force: true });
	}
	const { Env: variables } = JSON.parse(description) as { readonly Env: readonly string[] };
	return Object.fromEntries(variables.map((variable) => variable.split("=") as [string, string]));
}

test("a container gets the token of its run under no name, and all other variables", async () => {
	const others = { SVC_ACTION_API_URL: "http://service/v1", ST2_API_URL: "http://service/v1", SVC_ACTION_PACK_NAME: "core" };
	const token = "0123456789abcdef";
	const variables = await describe({
		...others,
		SVC_ACTION_AUTH_TOKEN: token,
		ST2_ACTION_AUTH_TOKEN: token,
		ST2_AUTH_TOKEN: token,
	});
	assert.deepEqual(variables, others);
});

test("a container of a run without a token gets all variables", async () => {
	assert.deepEqual(await describe({ SVC_ACTION_PACK_NAME: "core" }), { SVC_ACTION_PACK_NAME: "core" });
});

test.run();
