import { openSync } from "node:fs";
import { Socket } from "node:net";
import { LaunchedProcess } from "./launched-process.ts";
import { createNodeSpawner } from "./node-spawner.ts";
import { createPosixSpawner } from "./posix-spawner.ts";
import { findOtherGroups, signalGroupSync } from "./process-group.ts";
import { decodeChannelNumber, FrameReader, FrameWriter, frameTypes } from "./protocol.ts";
import type { Spawner } from "./spawner.ts";
import { StartQueue } from "./start-queue.ts";

/**
 * The launcher process: starts processes for the server, see `Launcher`. It reads frames from the socket on descriptor 3 and exits when
 * that socket closes. On exit it kills everything that it started, so no process outlives it.
 */
process.title = "svc-launcher";
// The server decides when the launcher ends: a service manager signals both at once, while runs still have their grace.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

const socket = new Socket({ fd: 3 });
const writer = new FrameWriter(socket);
const processes = new Map<number, LaunchedProcess>();
const spawner = await createSpawner();
const devNull = openSync("/dev/null", "r");
const startTurns = new StartQueue();

const reader = new FrameReader((type, id, payload) => {
	if (type === frameTypes.start) start(id, payload);
	else if (type === frameTypes.end) processes.get(id)?.end(JSON.parse(payload.toString()).grace);
	else if (type === frameTypes.input) processes.get(id)?.write(payload);
	else if (type === frameTypes.credit) {
		const { channel, number } = decodeChannelNumber(payload);
		processes.get(id)?.addCredit(channel, number);
	} else if (type === frameTypes.loan) {
		const { channel, number } = decodeChannelNumber(payload);
		processes.get(id)?.handleLoanState(channel, number);
	}
});
process.on("exit", () => {
	const leaders = new Set([...processes.values()].flatMap(({ group }) => group ?? []));
	const marks = new Set([...processes.values()].flatMap(({ mark }) => mark ?? []));
	const otherGroups = leaders.size > 0 ? findOtherGroups(leaders, marks) : [];
	for (const group of [...leaders, ...otherGroups]) signalGroupSync(group, "SIGKILL");
	spawner.stop();
});
for (const event of ["end", "error", "close"]) socket.on(event, () => process.exit());
writer.write(frameTypes.ready, 0, JSON.stringify({ spawner: spawner.name }));
socket.on("data", (bytes) => reader.push(bytes));

function start(id: number, payload: Buffer): void {
	const launched = new LaunchedProcess({ id, spawner, writer, devNull: devNull, onDone: () => processes.delete(id) });
	processes.set(id, launched);
	startTurns.add(() => void launched.start(JSON.parse(payload.toString())));
}

async function createSpawner(): Promise<Spawner> {
	if (process.argv[2] === "child_process") return createNodeSpawner();
	try {
		return await createPosixSpawner();
	} catch {
		// koffi is optional, and libc may lack a function. The other spawner does the same more slowly.
		return createNodeSpawner();
	}
}
