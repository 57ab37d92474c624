import { SvcError } from "../contract/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Constants of the Linux socket API. */
const unixFamily = 1;
const datagram = 2;
const closeOnExec = 0o2000000;
const doNotSignal = 0x4000;
/** Bytes of the path in a kernel socket address, including the terminating NUL. */
const maxPathLength = 108;

/**
 * Tells the service manager (systemd with `Type=notify`) that the service is ready, alive or stopping. Sends the datagrams of sd_notify(3)
 * from this process, so that `NotifyAccess=main` can apply. The manager then ignores datagrams that actions send.
 */
export class SystemdNotifier {
	readonly #send: (state: string) => void;
	/** Milliseconds between two keep-alive messages. Undefined if the manager expects none. */
	readonly #interval: number | undefined;
	#timer: NodeJS.Timeout | undefined;

	private constructor(send: (state: string) => void, interval: number | undefined) {
		this.#send = send;
		this.#interval = interval;
	}

	/**
	 * Returns the manager whose socket `NOTIFY_SOCKET` names, or undefined if it is not set. Throws `SVC_CONFIG` if the socket cannot be
	 * used.
	 */
	static async find(env: Environment): Promise<SystemdNotifier | undefined> {
		const address = env["NOTIFY_SOCKET"];
		if (address === undefined || address === "") return undefined;
		return new SystemdNotifier(await openSocket(toAddress(address)), findInterval(env));
	}

	/** Reports that the service is ready. From now on also sends keep-alive messages, as long as the event loop runs. */
	ready(): void {
		this.#send("READY=1");
		if (this.#interval === undefined) return;
		this.#timer = setInterval(() => this.#send("WATCHDOG=1"), this.#interval).unref();
	}

	/** Reports that the service is stopping. Keep-alive messages continue until `close`. */
	stopping(): void {
		this.#send("STOPPING=1");
	}

	close(): void {
		clearInterval(this.#timer);
	}
}

/** Returns half of the watchdog timeout of the service manager (`WATCHDOG_USEC`, in microseconds) as milliseconds. */
function findInterval(env: Environment): number | undefined {
	const microseconds = Number(env["WATCHDOG_USEC"]);
	const isOurs = env["WATCHDOG_PID"] === undefined || env["WATCHDOG_PID"] === String(process.pid);
	return isOurs && microseconds > 0 ? Math.max(1, Math.floor(microseconds / 2_000)) : undefined;
}

/** Returns a `sockaddr_un` with a path, or with a name after a NUL byte if the name begins with `@`. */
function toAddress(name: string): Buffer {
	const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
	const isKnown = name.startsWith("@") || name.startsWith("/");
	if (!isKnown || path.length >= maxPathLength) {
		throw new SvcError(
			"SVC_CONFIG",
			`NOTIFY_SOCKET: must be an absolute path or begin with "@", and be shorter than ${maxPathLength} bytes`,
		);
	}
	const family = Buffer.alloc(2);
	family.writeUInt16LE(unixFamily);
	return Buffer.concat([family, path]);
}

/** Opens a Unix datagram socket through libc, because Node.js has no API for it. */
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
	if (descriptor < 0) throw new SvcError("SVC_CONFIG", "NOTIFY_SOCKET: creating a socket failed");
	return (state) => {
		const bytes = Buffer.from(state);
		// Errors are ignored: the service continues if the manager has ended.
		send(descriptor, bytes, bytes.length, doNotSignal, address, address.length);
	};
}
