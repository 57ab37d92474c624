// test-timeout: 600
// test-suite: full
import * as assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { isFinal } from "./ledger.test-support.ts";
import { readPeak, resetPeak } from "./processes.test-support.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";

const megabyte = 1_048_576;
// READERS says how many there are. A service that kept for each of 20 what the machine does not would grow by more than it may.
const readers = Number(process.env["READERS"] ?? 20);
const bytes = 10_000_000;
const line = "0123456789".repeat(8).slice(0, 79);
/** MiB. */
const mostGrowth = 64;
/** Seconds for which all of them read 1 KB a second; then they read on as fast as they can. */
const slowTime = 5;
const slowPiece = 1_024;

/** A client of an output stream that reads as fast as it is told to. */
interface Reader {
	/** Read a piece, where one is there. */
	readSome(): void;
	/** Read everything; how many bytes of output there were, once the stream has ended. */
	readAll(): Promise<number>;
}

async function openReader({ api, token }: ServiceProcess, id: string): Promise<Reader> {
	const { hostname, port } = new URL(api);
	const socket: Socket = connect(Number(port), hostname);
	await once(socket, "connect");
	const path = `/stream/v1/executions/${id}/output`;
	socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nx-auth-token: ${token}\r\nconnection: close\r\n\r\n`);
	let lines = 0;
	let tail = "";
	const take = (piece: Buffer) => {
		const text = tail + piece.toString("latin1");
		lines += text.split("\\n").length - 1;
		// No more than what may be the beginning of the next mark.
		tail = text.slice(-1) === "\\" ? "\\" : "";
		ended ||= text.includes("event: EOF") || (rest + text).includes("event: EOF");
		rest = text.slice(-20);
	};
	let rest = "";
	let ended = false;
	// Without a listener for "data" the socket reads no further ahead than its buffer.
	socket.pause();
	return {
		readSome() {
			const piece = socket.read(slowPiece) as Buffer | null;
			if (piece !== null) take(piece);
		},
		async readAll() {
			socket.on("data", take);
			socket.resume();
			await once(socket, "close");
			assert.ok(ended, "the stream was closed before its end");
			return lines * (line.length + 1);
		},
	};
}

async function runToEnd({ client }: ServiceProcess, onCreated: (id: string) => Promise<void>): Promise<number> {
	const cmd = `sleep 1; yes ${line} | head -c ${bytes}`;
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd, timeout: 300 } });
	await onCreated(id);
	const record = await until("the run has ended", 300, async () => {
		const { status } = await client.executions.get(id, { query: { include_attributes: "status" } });
		return isFinal({ status }) ? client.executions.get(id) : undefined;
	});
	assert.equal(record.status, "succeeded");
	return record.elapsed_seconds ?? 0;
}

test(`${readers} clients that read 1 KB a second of a fast run take little memory, and get everything in the end`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-readers-"));
	const environment = { NODE_OPTIONS: "--max-old-space-size=200", SVC_STREAM_MAX_PER_USER: "0" };
	const service = await startServiceProcess({ directory, environment });
	try {
		await runToEnd(service, async () => {});
		resetPeak(service.pid);
		const alone = await runToEnd(service, async () => {});
		const before = readPeak(service.pid);
		const opened: Reader[] = [];
		resetPeak(service.pid);
		const watched = await runToEnd(service, async (id) => {
			while (opened.length < readers) {
				opened.push(...(await Promise.all(Array.from({ length: Math.min(50, readers) }, () => openReader(service, id)))));
			}
			for (let second = 0; second < slowTime; second += 1) {
				for (const reader of opened) reader.readSome();
				await delay(1_000);
			}
		});
		const growth = (readPeak(service.pid) - before) / megabyte;
		process.stdout.write(
			`${readers} readers: memory +${growth.toFixed(0)} MiB, the run ${alone.toFixed(2)} s alone, ${watched.toFixed(2)} s watched\n`,
		);
		// A few at a time: this process reads them all.
		while (opened.length > 0) {
			const read = await Promise.all(opened.splice(0, 25).map((reader) => reader.readAll()));
			for (const length of read) assert.equal(length, bytes);
		}
		const later = (readPeak(service.pid) - before) / megabyte;
		process.stdout.write(`until they have read everything: memory +${later.toFixed(0)} MiB beyond ${(before / megabyte).toFixed(0)}\n`);
		assert.ok(later <= mostGrowth, `the server grew by ${later} MiB`);
	} finally {
		await service.kill();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
