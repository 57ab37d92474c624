import { readSync, writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { parseJson, stringifyJson } from "../../../../core/contract/index.ts";
import type { RunMessage, WorkerMessage, WorkerSettings } from "../worker-protocol.ts";
import { limitMemory, loadInterpreter, type PyodideInterface } from "./interpreter.ts";
import { type Host, PyodideDriver } from "./pyodide-driver.ts";
import { readSnapshot } from "./snapshot-file.ts";

const input = 5;
const output = 3;
const newline = 10;

/**
 * The connection to the service. All operations block: Python cannot continue before its output has been read, which applies back-pressure.
 * No turn of the event loop is needed.
 */
class Channel {
	#received: Buffer = Buffer.alloc(0);

	send(message: WorkerMessage): void {
		let rest = Buffer.from(`${stringifyJson(message)}\n`);
		while (rest.length > 0) rest = rest.subarray(writeSync(output, rest));
	}

	/** Returns the next message; undefined if the service has closed the connection. */
	receive(): unknown {
		const chunks: Buffer[] = [this.#received];
		let last = this.#received;
		for (;;) {
			const end = last.indexOf(newline);
			if (end >= 0) {
				chunks[chunks.length - 1] = last.subarray(0, end);
				this.#received = last.subarray(end + 1);
				return parseJson(Buffer.concat(chunks).toString());
			}
			last = readChunk();
			if (last.length === 0) return undefined;
			chunks.push(last);
		}
	}
}

function readChunk(): Buffer {
	const buffer = Buffer.allocUnsafe(65_536);
	return buffer.subarray(0, readSync(input, buffer));
}

type Operation = (...values: readonly unknown[]) => unknown;
type Operations = Record<string, Operation | undefined>;

/** The functions of the interpreter's file system that this worker uses. */
interface FileSystem {
	readonly ErrnoError: new (errno: number) => Error;
	readonly filesystems: { readonly NODEFS: HostFiles };
	mkdirTree(path: string): void;
	mount(type: unknown, options: { readonly root: string }, path: string): void;
	chdir(path: string): void;
}

interface HostFiles {
	readonly node_ops: Operations;
	readonly stream_ops: Operations;
	convertNodeCode(error: unknown): number | undefined;
}

/** Errno numbers of the interpreter's system, which differ from those of the machine. */
const permissionDenied = 2;
const readOnlyFileSystem = 69;
const accessModes = 0o3;
const changes = 0o1100;

/** Mounts the pack read-only under its own path and makes that path the working directory. */
function showPack(python: PyodideInterface, root: string, path: string): void {
	showDirectory(python, root, path);
	(python.FS as unknown as FileSystem).chdir(path);
}

/** Mounts a directory read-only under a path. */
function showDirectory(python: PyodideInterface, root: string, path: string): void {
	const files = python.FS as unknown as FileSystem;
	files.mkdirTree(path);
	files.mount(files.filesystems.NODEFS, { root }, path);
}

/** Rejects every change of the host's files, as a read-only file system does. */
function makeReadOnly(python: PyodideInterface): void {
	const { ErrnoError, filesystems } = python.FS as unknown as FileSystem;
	const { node_ops, stream_ops } = filesystems.NODEFS;
	const { convertNodeCode } = filesystems.NODEFS;
	// The interpreter has no number for errors of Node's permission model. Without this default it would treat them as success.
	filesystems.NODEFS.convertNodeCode = (error) => convertNodeCode(error) ?? permissionDenied;
	const refuse = () => {
		throw new ErrnoError(readOnlyFileSystem);
	};
	for (const name of ["setattr", "mknod", "rename", "unlink", "rmdir", "symlink"]) node_ops[name] = refuse;
	for (const name of ["setattr", "write"]) stream_ops[name] = refuse;
	const { open } = stream_ops;
	stream_ops["open"] = (stream, ...rest) => {
		const { flags } = stream as { readonly flags: number };
		if ((flags & accessModes) !== 0 || (flags & changes) !== 0) refuse();
		return open?.(stream, ...rest);
	};
}

/** Kilobytes of stack: three times the need of Python's recursion limit in unoptimized code. Only used pages occupy memory. */
const stackSize = 16_000;

/** A worker process: loads an interpreter, waits for one run, reports the result, and waits until the service ends the process. */
const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
const channel = new Channel();
const exit: () => never = process.exit.bind(process);

/**
 * Sends the error to the service. Node's default handler would first print the source line, which is the interpreter's whole minified code.
 */
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
// Sockets need stack switching. If Node.js does not support it, Python runs without network access.
const hasSockets = await python.useNodeSockFS().then(
	() => true,
	() => false,
);
await watching;
lockDown();
const half = new PyodideDriver(python, hasSockets);
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
			return (channel.receive() ?? { status: 0, text: "the service has ended" }) as ReturnType<Host["call"]>;
		},
	};
	channel.send({ type: "end", ...(await half.run(message, host)) });
}

/**
 * Removes the Node.js globals that Python could reach through its module `js`. Web globals such as `fetch` remain available. Code of the
 * worker already holds its own references.
 */
function lockDown(): void {
	for (const name of ["process", "global", "require", "module", "__filename", "__dirname"]) Reflect.deleteProperty(globalThis, name);
	// The interpreter stores its exit code in `process.exitCode` when it ends by `os._exit`.
	Object.assign(globalThis, { process: Object.seal({ exitCode: 0 }) });
}
