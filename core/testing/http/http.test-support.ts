import "./answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import type { HttpInterface } from "../../http/http-interface.ts";
import { createServiceHttp } from "../../service/create-http.ts";
import { createMemoryLogger, createOptions, FakeEngine, toEngine, token } from "./fake-engine.test-support.ts";

export interface Setup {
	readonly http: HttpInterface;
	readonly fake: FakeEngine;
	readonly urls: { readonly auth: string; readonly api: string; readonly stream: string };
	readonly logger: ReturnType<typeof createMemoryLogger>;
	/** Ask the API with a token. */
	ask(path: string, init?: RequestInit): Promise<Response>;
}

/** Run with listeners on a fake engine, and stop them. */
export async function withHttp(run: (setup: Setup) => Promise<void>, changes: Parameters<typeof createOptions>[0] = {}): Promise<void> {
	const fake = new FakeEngine();
	const logger = createMemoryLogger();
	const http = createServiceHttp({ engine: toEngine(fake), options: createOptions(changes), logger, version: "1.2.3" });
	const urls = await http.start();
	assert.ok(urls.auth !== undefined && urls.api !== undefined && urls.stream !== undefined);
	const { auth, api, stream } = urls;
	const ask = (path: string, init: RequestInit = {}) =>
		fetch(api + path, { ...init, headers: { "x-auth-token": token, ...(init.headers as Record<string, string> | undefined) } });
	try {
		await run({ http, fake, logger, urls: { auth, api, stream }, ask });
	} finally {
		await http.stop();
	}
}

/** The text of an error answer. */
export async function faultOf(response: Response): Promise<string> {
	assert.match(response.headers.get("content-type") ?? "", /application\/json/);
	const body = (await response.json()) as { faultstring: string };
	assert.equal(typeof body.faultstring, "string");
	return body.faultstring;
}

export const json = { "content-type": "application/json" };
/** A request with a JSON body. */
export const post = (body: unknown): RequestInit => ({
	method: "POST",
	headers: json,
	body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Wait for something the server does on its own. */
export async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 5_000;
	while (!condition()) {
		assert.ok(performance.now() < deadline, "timed out");
		await new Promise((resolve) => setImmediate(resolve));
	}
}
