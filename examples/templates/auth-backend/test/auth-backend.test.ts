import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Credentials } from "svc-automation/contract";
import { testAuthBackend } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/auth-backend.ts";

/** Starts an account server with these users. */
async function startServer(users: readonly Credentials[]) {
	const server = createServer(async (request, response) => {
		let body = "";
		for await (const piece of request.setEncoding("utf8")) body += piece;
		const { username, password } = JSON.parse(body) as Credentials;
		const isKnown = users.some((user) => user.username === username && user.password === password);
		response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ groups: [] }));
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	const stop = async () => {
		server.closeAllConnections();
		if (server.listening) await once(server.close(), "close");
	};
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}

testAuthBackend({
	test,
	name: "template-name",
	create: async (users) => {
		const server = await startServer(users);
		return { backend: templateName({ url: server.url }).create(), cutOff: server.stop, cleanUp: server.stop };
	},
});

test.run();
