import { SvcError } from "../contract/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Numbers of Linux. */
const unixFamily = 1;
const datagram = 2;
const closeOnExec = 0o2000000;
const doNotSignal = 0x4000;
/** Bytes of a path in an address of the kernel, the NUL behind it among them. */
const longestPath = 108;

/**
 * Tells the manager that has started the service, such as systemd with `Type=notify`, that it is ready, lives and stops: datagrams of sd_notify(3).
 * They come from this process itself, so that `NotifyAccess=main` holds: what actions send counts for nothing.
 */
export class SystemManager {
	readonly #send: (state: string) => void;
	/** Milliseconds between two signs of life; undefined where nobody waits for them. */
	readonly #interval: number | undefined;
	#timer: NodeJS.Timeout | undefined;

	private constructor(send: (state: string) => void, interval: number | undefined) {
		this.#send = send;
		this.#interval = interval;
	}

	/** The one whose socket `NOTIFY_SOCKET` names, if it does. `SVC_CONFIG` where it cannot be spoken to. */
	static async find(env: Environment): Promise<SystemManager | undefined> {
		const address = env["NOTIFY_SOCKET"];
		if (address === undefined || address === "") return undefined;
		return new SystemManager(await openSocket(toAddress(address)), findInterval(env));
	}

	/** The service answers. From now on it also says that it lives, as long as its event loop turns. */
	ready(): void {
		this.#send("READY=1");
		if (this.#interval === undefined) return;
		this.#timer = setInterval(() => this.#send("WATCHDOG=1"), this.#interval).unref();
	}

	/** It is on its way out, and goes on to say that it lives. */
	stopping(): void {
		this.#send("STOPPING=1");
	}

	close(): void {
		clearInterval(this.#timer);
	}
}

/** Half of the time after which the manager takes the service for dead (`WATCHDOG_USEC`, microseconds). */
function findInterval(env: Environment): number | undefined {
	const microseconds = Number(env["WATCHDOG_USEC"]);
	const isOurs = env["WATCHDOG_PID"] === undefined || env["WATCHDOG_PID"] === String(process.pid);
	return isOurs && microseconds > 0 ? Math.max(1, Math.floor(microseconds / 2_000)) : undefined;
}

/** A `sockaddr_un`: a path, or a name behind NUL where it begins with `@`. */
function toAddress(name: string): Buffer {
	const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
	const isKnown = name.startsWith("@") || name.startsWith("/");
	if (!isKnown || path.length >= longestPath) {
		throw new SvcError("SVC_CONFIG", `NOTIFY_SOCKET: must be an absolute path or begin with "@", and be shorter than ${longestPath} bytes`);
	}
	const family = Buffer.alloc(2);
	family.writeUInt16LE(unixFamily);
	return Buffer.concat([family, path]);
}

/** Node has no datagrams between processes of one machine. */
async function openSocket(address: Buffer): Promise<(state: string) => void> {
	const { default: koffi } = await import("koffi").catch((cause: unknown) => {
		throw new SvcError("SVC_CONFIG", 'NOTIFY_SOCKET: needs the package "koffi", which is missing: npm install koffi, or Type=exec', {
			cause,
		});
	});
	const libc = koffi.load("libc.so.6");
	const socket = libc.func("socket", "int", ["int", "int", "int"]);
	const send = libc.func("sendto", "long", ["int", "const void *", "size_t", "int", "const void *", "unsigned int"]);
	const descriptor: number = socket(unixFamily, datagram | closeOnExec, 0);
	if (descriptor < 0) throw new SvcError("SVC_CONFIG", "NOTIFY_SOCKET: no socket could be made");
	return (state) => {
		const bytes = Buffer.from(state);
		// A manager that has gone ends nothing.
		send(descriptor, bytes, bytes.length, doNotSignal, address, address.length);
	};
}
