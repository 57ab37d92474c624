import { accessSync, constants } from "node:fs";
import { constants as systemConstants } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import type { ProcessExit, SpawnEvents, Spawner } from "./spawner.ts";

const closeOnExec = 0o2000000;
const doNotHang = 1;
const setStatusFlags = 4;
const setPipeSize = 1031;
/** Bytes; as many as a pipe may have by default where the system is not told otherwise. */
const widePipe = 1_048_576;
const setSignalDefaults = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;
const executableFormat = 8;
/** Larger than any of libc's opaque structures used here. */
const structureSize = 512;

const signalNames = new Map(Object.entries(systemConstants.signals).map(([name, number]) => [number, name]));

/**
 * Starts processes with libc's posix_spawn, which does not copy the parent's page tables: about a third of the cost of a fork.
 * Rejects where koffi or one of the functions is missing.
 */
export async function createPosixSpawner(): Promise<Spawner> {
	if (process.platform !== "linux") throw new Error("posix_spawn is used on linux only");
	const libc = await loadLibc();
	const running = new Map<number, (exit: ProcessExit) => void>();
	const status = new Int32Array(1);
	const collect = () => {
		for (const [pid, onExit] of running) {
			if (libc.waitpid(pid, status, doNotHang) !== pid) continue;
			running.delete(pid);
			onExit(toExit(status[0] ?? 0));
		}
	};
	process.on("SIGCHLD", collect);
	return {
		name: "posix_spawn",
		createPipe(reader) {
			const ends = new Int32Array(2);
			if (libc.pipe2(ends, closeOnExec) !== 0) throw toError(libc.errno(), "pipe2");
			const [read = -1, write = -1] = ends;
			if (reader === "launcher") libc.control(read, setStatusFlags, "int", constants.O_NONBLOCK);
			return { read, write };
		},
		widenPipe: (descriptor) => void libc.control(descriptor, setPipeSize, "int", widePipe),
		spawn(request, descriptors, events) {
			const environment = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
			const file = findProgram(request.file, request.env["PATH"]);
			const pid = withActions(libc, request.cwd, descriptors, (actions) => {
				const first = libc.start(actions, file, [request.file, ...request.args], environment);
				// A script without an interpreter line belongs to the shell, as execvp has it.
				return first === -executableFormat ? libc.start(actions, "/bin/sh", ["/bin/sh", file, ...request.args], environment) : first;
			});
			if (pid < 0) throw toError(-pid, "posix_spawn");
			watch(pid, events);
		},
		stop: () => void process.off("SIGCHLD", collect),
	};

	function watch(pid: number, events: SpawnEvents): void {
		events.onStart(pid);
		// Known to `collect` from here on; its signal can only be handled in a later tick.
		running.set(pid, (exit) => events.onExit(exit));
	}
}

interface Libc {
	pipe2(ends: Int32Array, flags: number): number;
	waitpid(pid: number, status: Int32Array, flags: number): number;
	control(descriptor: number, command: number, type: "int", value: number): number;
	errno(): number;
	/** The pid, or the error number negated. */
	start(actions: Buffer, file: string, args: readonly string[], environment: readonly string[]): number;
	initActions(actions: Buffer): number;
	addDuplicate(actions: Buffer, from: number, to: number): number;
	addDirectory(actions: Buffer, path: string): number;
	destroyActions(actions: Buffer): number;
}

async function loadLibc(): Promise<Libc> {
	const { default: koffi } = await import("koffi");
	const library = koffi.load("libc.so.6");
	const attributes = Buffer.alloc(structureSize);
	const call = (name: string, types: string[]): ((...values: unknown[]) => number) => library.func(name, "int", types);
	call("posix_spawnattr_init", ["void *"])(attributes);
	call("posix_spawnattr_setflags", ["void *", "short"])(attributes, setSession | setSignalMask | setSignalDefaults);
	// Node ignores SIGPIPE; what it starts must not inherit that. All signals on, none blocked (the zeroed mask).
	const signals = Buffer.alloc(structureSize);
	call("sigfillset", ["void *"])(signals);
	call("posix_spawnattr_setsigdefault", ["void *", "void *"])(attributes, signals);
	const spawn = call("posix_spawn", ["int *", "const char *", "void *", "void *", "const char **", "const char **"]);
	const pid = new Int32Array(1);
	return {
		pipe2: call("pipe2", ["int *", "int"]),
		waitpid: call("waitpid", ["int", "int *", "int"]),
		control: call("fcntl", ["int", "int", "..."]),
		errno: () => koffi.errno(),
		start(actions, file, args, environment) {
			const error = spawn(pid, file, actions, attributes, [...args, null], [...environment, null]);
			return error === 0 ? (pid[0] ?? 0) : -error;
		},
		initActions: call("posix_spawn_file_actions_init", ["void *"]),
		addDuplicate: call("posix_spawn_file_actions_adddup2", ["void *", "int", "int"]),
		addDirectory: call("posix_spawn_file_actions_addchdir_np", ["void *", "const char *"]),
		destroyActions: call("posix_spawn_file_actions_destroy", ["void *"]),
	};
}

function withActions(libc: Libc, cwd: string, descriptors: readonly number[], use: (actions: Buffer) => number): number {
	const actions = Buffer.alloc(structureSize);
	libc.initActions(actions);
	try {
		libc.addDirectory(actions, cwd);
		for (const [target, descriptor] of descriptors.entries()) libc.addDuplicate(actions, descriptor, target);
		return use(actions);
	} finally {
		libc.destroyActions(actions);
	}
}

function findProgram(file: string, path = ""): string {
	if (file.includes("/")) return file;
	for (const directory of path.split(":")) {
		const candidate = join(directory === "" ? "." : directory, file);
		try {
			accessSync(candidate, constants.X_OK);
			return candidate;
		} catch {
			// Not in this one.
		}
	}
	throw toError(systemConstants.errno.ENOENT, `search of ${file}`);
}

function toExit(status: number): ProcessExit {
	const signal = status & 0x7f;
	return signal === 0 ? { code: (status >> 8) & 0xff, signal: null } : { code: null, signal: signalNames.get(signal) ?? `SIG${signal}` };
}

function toError(number: number, call: string): NodeJS.ErrnoException {
	const code = getSystemErrorName(-number);
	return Object.assign(new Error(`${call}: ${code}`), { code });
}
