import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { RunMessage, WorkerSettings } from "../messages.ts";
import { Channel } from "./channel.ts";
import { limitMemory, loadInterpreter } from "./interpreter.ts";
import { lockDown } from "./lockdown.ts";
import { makeReadOnly, showDirectory, showPack } from "./pack-files.ts";
import { type Host, PythonHalf } from "./python-half.ts";
import { readSnapshot } from "./snapshot.ts";

/** Kilobytes of stack: three times what Python's recursion limit takes while nothing is optimized yet. Only what is used takes memory. */
const stackSize = 16_000;

/** A worker process: gets an interpreter ready, waits for one run, reports how it ended, and waits to be ended itself. */
const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
const channel = new Channel();
const exit: () => never = process.exit.bind(process);

/** Node would print a whole line of the interpreter, which is all of it, before the error. */
const giveUp = (error: unknown) => {
	channel.send({ type: "failed", reason: String(error).slice(0, 500) });
	exit();
};
process.on("uncaughtException", giveUp);
const stopListening = process.off.bind(process, "uncaughtException", giveUp);

const interrupt = new Uint8Array(new SharedArrayBuffer(1));
const watchdog = new Worker(new URL("./watchdog.js", import.meta.url), {
	workerData: { interrupt, memoryLimit: settings.memoryLimit },
});
const watching = new Promise((resolve) => watchdog.once("message", resolve));

limitMemory(settings.memoryLimit);
setFlagsFromString(`--wasm-stack-switching-stack-size=${stackSize}`);
const snapshot = readSnapshot(settings.snapshot, settings.recipe);
if (snapshot === undefined) {
	channel.send({ type: "broken-snapshot" });
	exit();
}
const python = await loadInterpreter(settings.pyodide, { _loadSnapshot: snapshot });
makeReadOnly(python);
// Sockets need stacks that can be switched. Where Node lacks them Python does without a network.
const hasSockets = await python.useNodeSockFS().then(
	() => true,
	() => false,
);
await watching;
lockDown();
const half = new PythonHalf(python, hasSockets);
await half.warmUp();
watchdog.postMessage("ready");
stopListening();
channel.send({ type: "ready" });

const message = channel.receive() as RunMessage | undefined;
if (message === undefined) exit();
else {
	python.setInterruptBuffer(interrupt);
	for (const path of settings.pythonPaths) showDirectory(python, path, path.slice(0, -1));
	showPack(python, `${settings.directory}pack/`, message.packDirectory);
	const host: Host = {
		write: (name, bytes) => channel.send({ type: "output", channel: name, bytes: Buffer.from(bytes).toString("latin1") }),
		report: (text) => channel.send({ type: "report", text }),
		call(method, path, body) {
			channel.send({ type: "call", method, path, body });
			return (channel.receive() ?? { status: 0, text: "the service has gone" }) as ReturnType<Host["call"]>;
		},
	};
	channel.send({ type: "end", ...(await half.run(message, host)) });
}
