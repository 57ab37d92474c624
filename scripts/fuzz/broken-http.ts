import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import type { Problem } from "./judge.ts";
import type { Target } from "./prepare.ts";

/** Milliseconds that are waited for an answer: to half a request there is none. */
const patience = 300;
const host = "host: a\r\n";

/** Bytes that are no whole request, or more than one. */
const broken: readonly ((random: Random) => string)[] = [
	() => `GET /v1/user HTTP/1.1\r\n${host}${host}\r\n`,
	() => `POST /v1/executions HTTP/1.1\r\n${host}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"action":`,
	() => `POST /v1/webhooks/fuzz HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
	() => `POST /v1/webhooks/fuzz HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`,
	() => `POST /v1/webhooks/fuzz HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\nx`,
	() => `POST /v1/webhooks/fuzz HTTP/1.1\r\n${host}content-length: -1\r\n\r\n{}`,
	() => `GET /v1/user\0 HTTP/1.1\r\n${host}\r\n`,
	() => `GET /v1/\u001b[2J HTTP/1.1\r\n${host}x: \u0007\r\n\r\n`,
	() => `GET http://127.0.0.1:1/v1/user HTTP/1.1\r\n${host}\r\n`,
	() => `CONNECT 127.0.0.1:1 HTTP/1.1\r\n${host}\r\n`,
	() => `GET /v1/user HTTP/9.9\r\n${host}\r\n`,
	() => `GET /v1/user HTTP/1.1\n${host.trim()}\n\n`,
	() => `GET /v1/stream HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
	() => `GET /v1/user HTTP/1.1\r\n${host}${"x: y\r\n".repeat(5_000)}\r\n`,
	(random) => Array.from({ length: 200 }, () => String.fromCharCode(random(256))).join(""),
];

/** Send some of them, all at once; what is wrong with the answers. */
export async function sendBroken({ service }: Target, random: Random): Promise<readonly Problem[]> {
	const sent = Array.from({ length: 4 }, () => pick(random, broken)(random));
	const answers = await Promise.all(sent.map((bytes) => ask(service.api, bytes)));
	return answers.flatMap((answer, index): Problem[] => {
		const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
		const isWrong =
			status === undefined ? answer !== "" : Number(status) >= 500 || (Number(status) >= 400 && !answer.includes('"faultstring"'));
		return isWrong ? [{ kind: "error", detail: `${JSON.stringify(sent[index]?.slice(0, 300))} was answered ${answer.slice(0, 300)}` }] : [];
	});
}

async function ask(base: string, bytes: string): Promise<string> {
	const { hostname, port } = new URL(base);
	const socket = connect(Number(port), hostname);
	let answer = "";
	socket.on("data", (piece) => {
		answer += piece.toString("latin1");
	});
	socket.on("error", () => {});
	const closed = once(socket, "close");
	socket.write(Buffer.from(bytes, "latin1"));
	await Promise.race([closed, delay(patience)]);
	socket.destroy();
	return answer;
}
