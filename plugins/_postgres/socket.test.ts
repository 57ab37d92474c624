import * as assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { connectSocket } from "./socket.ts";

/** A server that says this to whatever it is asked, and nothing more. */
async function withServer(word: string, body: (target: { host: string; port: number }) => Promise<void>): Promise<void> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket.on("error", () => {}));
		socket.on("data", () => word !== "" && socket.write(word));
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	try {
		await body({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
	} finally {
		for (const socket of sockets) socket.destroy();
		server.close();
	}
}

const tooLong = new Error("too long");

/** Wait for a socket for so many milliseconds, 0 for none: the reason is thrown, and by nothing else than the call. */
async function giveUpAfter(milliseconds: number, tls: object | undefined, target: { host: string; port: number }): Promise<void> {
	const patience = new AbortController();
	const socket = connectSocket(target, tls, patience.signal);
	const giveUp = () => patience.abort(tooLong);
	if (milliseconds === 0) giveUp();
	else setTimeout(giveUp, milliseconds);
	await assert.rejects(socket, (error) => error === tooLong);
	// An error that nobody listens to would end the process by now.
	for (let step = 0; step < 3; step += 1) await turn();
}

test("who gives up a server that cannot be reached is told so, and nothing else happens", () =>
	withServer("", (target) => giveUpAfter(0, undefined, target)));

test("the same where it does not say whether it has TLS", () => withServer("", (target) => giveUpAfter(50, {}, target)));

test("the same where it does not go on with TLS", () => withServer("S", (target) => giveUpAfter(50, {}, target)));

test.run();
