// The least that a server in Node can do with a flood that it keeps and sends on: the bytes of a pipe go to a file and to one client, through
// memory that is used again. No lines, JSON, masking, chunks that can be found again, or rights.
import { execFileSync, spawn } from "node:child_process";
import { constants, openSync, write } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { serve } from "./serve.mjs";

const { directory, command } = JSON.parse(process.argv[2]);
const roomSize = 262_144;
const rooms = 8;
const head = "event: output\ndata: ";
const tail = "\n\n";

/** Whoever asks starts the command, and gets what it prints. */
function flood(_request, response) {
	const pipe = join(directory, "pipe");
	execFileSync("mkfifo", [pipe]);
	const source = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
	const file = openSync(join(directory, "output"), "w");
	const child = spawn("sh", ["-c", `{ ${command}; } > ${pipe}`], { stdio: ["ignore", "ignore", "inherit"] });
	const spare = Array.from({ length: rooms }, () => Buffer.allocUnsafeSlow(roomSize));
	let room = spare.pop();
	let place = 0;
	let hasEnded = false;
	const endIfDone = () => {
		if (hasEnded && spare.length === rooms - 1) response.end("event: EOF\ndata:\n\n");
	};
	const give = (used) => {
		if (spare.push(used) === 1 && !hasEnded) reader.resume();
		endIfDone();
	};
	const take = (length) => {
		const used = room;
		const bytes = used.subarray(0, length);
		// The next read goes there, whenever that is.
		room = spare.pop();
		if (spare.length === 0) reader.pause();
		let left = 2;
		const done = (error) => {
			if (error) throw error;
			left -= 1;
			if (left === 0) give(used);
		};
		// A write to a file on a disk takes all of it.
		write(file, bytes, 0, length, place, done);
		place += length;
		response.cork();
		response.write(head);
		response.write(bytes);
		response.write(tail, done);
		response.uncork();
	};
	const reader = new Socket({ fd: source, readable: true, writable: false, onread: { buffer: () => room, callback: take } });
	response.useChunkedEncodingByDefault = false;
	response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
	reader.resume();
	reader.on("close", () => {
		hasEnded = true;
		endIfDone();
	});
	child.on("exit", (code) => {
		if (code !== 0) throw new Error(`the command ended with ${code}`);
	});
}

await serve(flood);
