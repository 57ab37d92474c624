import * as assert from "node:assert/strict";
import { request } from "node:http";
import { hostname } from "node:os";
import { test } from "uvu";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { createOptions } from "../testing/service-options.ts";
import { createHostCheck } from "./app.ts";

const foreign = ["evil.example", "evil.example:9101", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example", "x:y:z", ""];
const own = [
	...["localhost", "LOCALHOST:9101", "localhost.", "api.localhost:9101", "127.0.0.1:9101", "[::1]:9101", "192.168.1.7", "[fd00::7]"],
	hostname(),
];

function isAnswered(host: string, options: Parameters<typeof createOptions>[0]): boolean {
	const request = new Request("http://service/v1/user", { headers: { host } });
	return createHostCheck(createOptions(options))(request) === undefined;
}

test("without authentication a service answers under its own names, those of the loopback and addresses", () => {
	for (const host of own) assert.ok(isAnswered(host, { auth: { enable: false } }), host);
	for (const host of foreign) assert.ok(!isAnswered(host, { auth: { enable: false } }), host);
	assert.equal(createHostCheck(createOptions({ auth: { enable: false } }))(new Request("http://service/")), undefined);
});

test("names that the configuration has for the service are its own", () => {
	const auth = { enable: false, api_url: "https://svc.example.org/api" };
	const api = { host: "svc.lan", allowed_hosts: ["Other.Example"], allow_origin: ["https://page.example:8443", "*"] };
	for (const host of ["svc.example.org", "svc.lan:9101", "other.example", "page.example"]) assert.ok(isAnswered(host, { auth, api }), host);
	for (const host of ["example.org", "a.other.example", "evil.example"]) assert.ok(!isAnswered(host, { auth, api }), host);
});

test("with authentication a service answers under every name", () => {
	for (const host of foreign) assert.ok(isAnswered(host, { auth: { enable: true } }), host);
});

/** Status and text of the answer to a request under a name, as a browser whose page has been rebound sends it. */
async function askAs(host: string, url: string, body?: object): Promise<readonly [status: number | undefined, text: string]> {
	return new Promise((resolve, reject) => {
		const headers = { host, ...(body !== undefined && { "content-type": "application/json", origin: `http://${host}` }) };
		const asked = request(url, { method: body === undefined ? "GET" : "POST", headers }, (response) => {
			let text = "";
			response.on("data", (piece) => {
				text += String(piece);
			});
			response.on("end", () => resolve([response.statusCode, text]));
		});
		asked.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
	});
}

test("a page of a foreign name that leads to a service without authentication runs and reads nothing", () =>
	withGuardedService(
		async ({ urls }) => {
			const { host, port } = new URL(urls.api);
			const evil = `evil.example:${port}`;
			const run = { action: "default.speak", parameters: {} };
			const [status, text] = await askAs(evil, `${urls.api}/v1/executions`, run);
			assert.deepEqual([status, /api\.allowed_hosts/.test(text)], [403, true]);
			for (const url of [`${urls.api}/v1/executions`, `${urls.api}/`, `${urls.stream}/v1/stream`])
				assert.equal((await askAs(evil, url))[0], 403, url);
			for (const path of ["/health/live", "/v1/health/ready"]) assert.equal((await askAs(evil, urls.api + path))[0], 200, path);
			const [, executions] = await askAs(host, `${urls.api}/v1/executions`);
			assert.deepEqual(JSON.parse(executions), []);
			for (const name of [host, `localhost:${port}`]) assert.equal((await askAs(name, `${urls.api}/v1/executions`, run))[0], 201, name);
		},
		{ auth: { enable: false }, rbac: { enable: false } },
	));

test.run();
