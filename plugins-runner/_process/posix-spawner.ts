import { accessSync, constants } from "node:fs";
import { constants as systemConstants } from "node:os";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import type { ProcessExit, SpawnEvents, Spawner } from "./spawner.ts";

/** Constants of Linux: O_CLOEXEC, WNOHANG, F_SETFL, F_SETPIPE_SZ. */
const closeOnExec = 0o2000000;
const doNotHang = 1;
const setStatusFlags = 4;
const setPipeSize = 1031;
/** Bytes of a widened pipe: the default maximum of Linux for an unprivileged process. */
const widePipeBytes = 1_048_576;
/** Constants of libc: POSIX_SPAWN_SETSIGDEF, POSIX_SPAWN_SETSIGMASK, POSIX_SPAWN_SETSID. */
const setSignalDefaults = 0x04;
const setSignalMask = 0x08;
const setSession = 0x80;
/** Number of the error ENOEXEC. */
const execFormatError = 8;
/** Bytes reserved for each opaque structure of libc; larger than any that is used here. */
const structureBytes = 512;

const signalNames = new Map(Object.entries(systemConstants.signals).map(([name, number]) => [number, name]));

/**
 * Creates a spawner that uses libc's posix_spawn, which does not copy the parent's page tables: about a third of the cost of a fork.
 * Rejects if koffi or one of the functions is missing, or the system is not Linux.
 */
export async function createPosixSpawner(): Promise<Spawner> {
	if (process.platform !== "linux") throw new Error("posix_spawn is used on linux only");
	const libc = await loadLibc();
	const running = new Map<number, (exit: ProcessExit) => void>();
	const status = new Int32Array(1);
	const reapExited = () => {
		for (const [pid, onExit] of running) {
			if (libc.waitpid(pid, status, doNotHang) !== pid) continue;
			running.delete(pid);
			onExit(toExit(status[0] ?? 0));
		}
	};
	process.on("SIGCHLD", reapExited);
	return {
		name: "posix_spawn",
		createPipe(reader) {
			const ends = new Int32Array(2);
			if (libc.pipe2(ends, closeOnExec) !== 0) throw toError(libc.errno(), "pipe2");
			const [read = -1, write = -1] = ends;
			if (reader === "launcher") libc.control(read, setStatusFlags, "int", constants.O_NONBLOCK);
			return { read, write };
		},
		widenPipe: (descriptor) => void libc.control(descriptor, setPipeSize, "int", widePipeBytes),
		spawn(request, descriptors, events) {
			const environment = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
			const file = findProgram(request.file, request.env["PATH"]);
			const pid = withActions(libc, request.cwd, descriptors, (actions) => {
				const result = libc.start(actions, file, [request.file, ...request.args], environment);
				// The shell runs a script without an interpreter line, as with execvp.
				return result === -execFormatError ? libc.start(actions, "/bin/sh", ["/bin/sh", file, ...request.args], environment) : result;
			});
			if (pid < 0) throw toError(-pid, "posix_spawn");
			register(pid, events);
		},
		stop: () => void process.off("SIGCHLD", reapExited),
	};

	function register(pid: number, events: SpawnEvents): void {
		events.onStart(pid);
		// Handlers of SIGCHLD run in a later tick of the event loop, so `reapExited` finds the process even if it has exited already.
		running.set(pid, (exit) => events.onExit(exit));
	}
}

interface Libc {
	pipe2(ends: Int32Array, flags: number): number;
	waitpid(pid: number, status: Int32Array, flags: number): number;
	control(descriptor: number, command: number, type: "int", value: number): number;
	errno(): number;
	/** Returns the process id, or the negated error number. */
	start(actions: Buffer, file: string, args: readonly string[], environment: readonly string[]): number;
	initActions(actions: Buffer): number;
	addDuplicate(actions: Buffer, from: number, to: number): number;
	addDirectory(actions: Buffer, path: string): number;
	destroyActions(actions: Buffer): number;
}

async function loadLibc(): Promise<Libc> {
	const { default: koffi } = await import("koffi");
	const library = koffi.load("libc.so.6");
	const attributes = Buffer.alloc(structureBytes);
	const call = (name: string, types: string[]): ((...values: unknown[]) => number) => library.func(name, "int", types);
	call("posix_spawnattr_init", ["void *"])(attributes);
	call("posix_spawnattr_setflags", ["void *", "short"])(attributes, setSession | setSignalMask | setSignalDefaults);
	// Node ignores SIGPIPE, and its child processes must not inherit that: all signals get their default action, and the zeroed mask blocks
	// none.
	const signals = Buffer.alloc(structureBytes);
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
	const actions = Buffer.alloc(structureBytes);
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
			// Not in this directory.
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
