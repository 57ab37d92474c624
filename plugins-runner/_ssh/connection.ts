import type { Duplex } from "node:stream";
import type { Client, ClientChannel, ConnectConfig, ServerHostKeyAlgorithm, SFTPWrapper } from "ssh2";
import { ConnectionLost, toChannelError, toConnectError } from "./connect-error.ts";
import type { HostKeys } from "./host-keys.ts";
import type { Ssh2 } from "./ssh2-package.ts";
import type { Target } from "./target.ts";

export interface ConnectionOptions {
	readonly ssh2: Ssh2;
	readonly target: Target;
	readonly hostKeys: HostKeys;
	readonly connectTimeout: number;
	/** Opens a stream through a jump host; undefined for a direct connection. The stream is released when the connection ends. */
	openWay(): Promise<{ readonly stream: Duplex; release(): void } | undefined>;
	onClosed(): void;
}

/** Keepalive settings: without them, a connection to a host that disappeared would seem open forever. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

/** One connection to one host, ready or being opened. */
export class Connection {
	/** Rejects with a message that contains the host and the reason. */
	readonly ready: Promise<void>;
	/** Maximum number of concurrent channels. It is lowered when a server refuses one; OpenSSH allows 10 (`MaxSessions`). */
	limit = 8;
	/** Number of runs with a channel on this connection. */
	channels = 0;
	/** Number of runs on this connection, and of connections that use it as a jump host. */
	users = 0;
	/** True if any channel request on this connection has completed. */
	used = false;
	readonly #options: ConnectionOptions;
	readonly #client: Client;
	readonly #closing = new AbortController();
	#way: { readonly stream: Duplex; release(): void } | undefined;
	#refusal: unknown;

	constructor(options: ConnectionOptions) {
		this.#options = options;
		this.#client = new options.ssh2.Client();
		this.ready = this.#connect().catch((error: unknown) => {
			this.close();
			throw toConnectError(this.#refusal ?? error, options.target, options.connectTimeout);
		});
		this.ready.catch(() => {});
	}

	get closed(): boolean {
		return this.#closing.signal.aborted;
	}

	exec(command: string): Promise<ClientChannel> {
		return this.#open((callback) => this.#client.exec(command, callback));
	}

	sftp(): Promise<SFTPWrapper> {
		return this.#open((callback) => this.#client.sftp(callback));
	}

	forward(address: string, port: number): Promise<ClientChannel> {
		return this.#open((callback) => this.#client.forwardOut("127.0.0.1", 0, address, port, callback));
	}

	/** Closes the connection at once, including all connections through it. */
	close(): void {
		if (this.closed) return;
		this.#closing.abort();
		this.#client.destroy();
		this.#way?.stream.destroy();
		this.#way?.release();
		this.#options.onClosed();
	}

	async #connect(): Promise<void> {
		const { openWay, target, hostKeys, connectTimeout } = this.#options;
		const [way, algorithms] = await Promise.all([openWay(), hostKeys.findAlgorithms(target.address, target.port)]);
		this.#way = way;
		if (this.closed) {
			way?.release();
			throw new ConnectionLost("the connection was aborted");
		}
		await new Promise<void>((resolve, reject) => {
			// The timeout of ssh2 starts too late to detect a host that drops packets.
			const timer = setTimeout(() => reject({ level: "client-timeout" }), connectTimeout * 1_000);
			const settle = (act: () => void) => {
				clearTimeout(timer);
				act();
			};
			this.#closing.signal.addEventListener("abort", () => settle(() => reject(new ConnectionLost("the connection was aborted"))));
			this.#client.on("ready", () => settle(resolve));
			// This listener remains for the life of the connection: an error event without a listener would end the service.
			this.#client.on("error", (error) => {
				settle(() => reject(error));
				this.close();
			});
			this.#client.on("close", () => {
				settle(() => reject(new ConnectionLost("the host closed the connection")));
				this.close();
			});
			this.#client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) =>
				// A prompt whose input is echoed does not request the password.
				finish(prompts.map(({ echo }) => (echo === true ? "" : (target.password ?? "")))),
			);
			this.#client.connect(this.#createConfig(algorithms));
		});
	}

	#createConfig(algorithms: readonly string[]): ConnectConfig {
		const { target, hostKeys, connectTimeout } = this.#options;
		const { address, port, username, password, privateKey, passphrase, agent } = target;
		return {
			...keepalive,
			host: address,
			port,
			username,
			readyTimeout: connectTimeout * 1_000,
			...(password === undefined ? {} : { password, tryKeyboard: true }),
			...(privateKey === undefined ? {} : { privateKey }),
			...(passphrase === undefined ? {} : { passphrase }),
			...(agent === undefined ? {} : { agent }),
			...(this.#way === undefined ? {} : { sock: this.#way.stream }),
			algorithms: { serverHostKey: putFirst(algorithms as ServerHostKeyAlgorithm[]) },
			hostVerifier: (key: Buffer, verify: (accepted: boolean) => void) => {
				hostKeys.verify(address, port, key).then(
					() => verify(true),
					(error: unknown) => {
						this.#refusal = error;
						verify(false);
					},
				);
			},
		};
	}

	/** Opens a channel. If the host does not answer within the connect timeout, the connection is closed and counts as lost. */
	async #open<T>(ask: (callback: ClientCallbackOf<T>) => unknown): Promise<T> {
		const { connectTimeout } = this.#options;
		let timer: NodeJS.Timeout | undefined;
		try {
			return await new Promise<T>((resolve, reject) => {
				timer = setTimeout(() => {
					reject(new ConnectionLost(`the host did not respond within ${connectTimeout} seconds`));
					this.close();
				}, connectTimeout * 1_000);
				ask((error, opened) => (error ? reject(toChannelError(error)) : resolve(opened)));
			});
		} catch (error) {
			// ssh2 throws synchronously if the connection has ended.
			throw error instanceof Error && "code" in error ? toChannelError(error) : error;
		} finally {
			clearTimeout(timer);
			this.used = true;
		}
	}
}

type ClientCallbackOf<T> = (error: Error | undefined, opened: T) => void;

/**
 * Moves algorithms to the front. ssh2 applies the members in this order. An algorithm in the list must be removed before it can be
 * prepended.
 */
function putFirst<T>(values: T[]) {
	return { append: [] as T[], remove: values, prepend: values };
}
