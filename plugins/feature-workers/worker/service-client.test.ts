import * as assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { test } from "uvu";
import { isSvcError } from "../../../core/contract/index.ts";
import { findProxy } from "../../../core/lib/find-proxy.ts";
import { createCertificates } from "../../../core/testing/services/certificates.test-support.ts";
import { ServiceClient } from "./service-client.ts";

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

test("requests go over TLS through a proxy, with authorities of one's own, and not without these", async () => {
	const files = await createCertificates();
	const server = createServer({ cert: await readFile(files.certificate), key: await readFile(files.key) }, (request, response) => {
		response.statusCode = request.url === "/v1/refused" ? 409 : 200;
		response.end(JSON.stringify({ faultstring: "not yours", key: request.headers["svc-api-key"] }));
	}).listen(0, "127.0.0.1");
	const asked: string[] = [];
	const proxy = createProxy().on("connect", (request, socket) => {
		asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
		const to = connect(portOf(server), "127.0.0.1", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
		to.on("error", () => socket.destroy()).pipe(socket);
		socket.on("error", () => to.destroy()).pipe(to);
	});
	proxy.listen(0, "127.0.0.1");
	await Promise.all([once(server, "listening"), once(proxy, "listening")]);
	const apiUrl = `https://127.0.0.1:${portOf(server)}/v1`;
	const ca = [await readFile(files.ca, "utf8")];
	const direct = new ServiceClient({ apiUrl, apiKey: "secret", ca });
	const through = new ServiceClient({ apiUrl, apiKey: "secret", ca, proxy: `http://ann:word@127.0.0.1:${portOf(proxy)}` });
	const stranger = new ServiceClient({ apiUrl, apiKey: "secret" });
	try {
		assert.equal((await direct.post<{ readonly key: string }>("/x", {})).key, "secret");
		assert.equal((await through.post<{ readonly key: string }>("/x", {})).key, "secret");
		assert.deepEqual(asked, [`127.0.0.1:${portOf(server)} Basic ${Buffer.from("ann:word").toString("base64")}`]);
		await assert.rejects(direct.post("/refused", {}), (error) => isSvcError(error, "SVC_CONFLICT") && error.message === "not yours");
		await assert.rejects(stranger.post("/x", {}), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
	} finally {
		for (const connection of [direct, through, stranger]) connection.close();
		server.closeAllConnections();
		proxy.closeAllConnections();
		server.close();
		proxy.close();
		await files.remove();
	}
});

test("the proxy is that of the environment, unless the host needs none", () => {
	const env = { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "localhost,.inside.example" };
	assert.equal(findProxy("https://svc.example/v1", env), "http://proxy.example:3128");
	assert.equal(findProxy("https://svc.inside.example/v1", env), undefined);
	assert.equal(findProxy("http://svc.example/v1", env), undefined);
	for (const [NO_PROXY, proxy] of [["svc.example:443"], ["svc.example:8443", "http://proxy.example:3128"]]) {
		assert.equal(findProxy("https://svc.example/v1", { ...env, NO_PROXY }), proxy, NO_PROXY);
	}
	assert.equal(findProxy("http://svc.example/v1", { all_proxy: "http://proxy.example" }), "http://proxy.example");
	for (const NO_PROXY of ["::1", "[::1]"]) assert.equal(findProxy("https://[::1]:9101/v1", { ...env, NO_PROXY }), undefined, NO_PROXY);
});

test.run();
