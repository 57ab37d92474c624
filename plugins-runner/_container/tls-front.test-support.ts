import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import type { Certificates } from "../../core/testing/services/certificates.test-support.ts";

/** Passes on to a socket what comes over TLS from whoever shows a certificate of the authority. */
export async function startTlsFront(socketPath: string, { ca, certificate, key }: Certificates) {
	const [authority, own, secret] = await Promise.all([ca, certificate, key].map((path) => readFile(path)));
	const server = createServer({ ca: authority, cert: own, key: secret, requestCert: true, rejectUnauthorized: true }, (socket) => {
		const target = connect(socketPath);
		for (const each of [socket, target]) each.on("error", () => {});
		socket.pipe(target).pipe(socket);
		socket.on("close", () => target.destroy());
		target.on("close", () => socket.destroy());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return { host: `tcp://127.0.0.1:${port}`, close: () => void server.close() };
}
