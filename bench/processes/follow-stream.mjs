// Followers of an event stream, as cheap as they can be: what comes is read into one buffer, counted and forgotten.
import { connect } from "node:net";

const { address, path, token, followers } = JSON.parse(process.argv[2]);
const { hostname: host, port } = new URL(address);
const buffer = Buffer.alloc(262_144);
const sockets = [];
let isOver = false;

function follow() {
	return new Promise((resolve, reject) => {
		const socket = connect({ host, port: Number(port), onread: { buffer, callback: () => resolve() ?? true } });
		socket.on("error", reject).on("close", () => {
			if (!isOver) process.exit(1);
		});
		socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nx-auth-token: ${token}\r\n\r\n`);
		sockets.push(socket);
	});
}

for (let count = 0; count < followers; count += 1) await follow();
process.stdout.write(`${JSON.stringify({ followers })}\n`);
process.stdin.resume().on("end", () => {
	isOver = true;
	for (const socket of sockets) socket.destroy();
});
