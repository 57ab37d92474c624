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
	/** Opens the way through another host. What it gives is released when the connection ends. */
	openWay(): Promise<{ readonly stream: Duplex; release(): void } | undefined>;
	onClosed(): void;
}

/** Signs of life, so that a connection whose other end is gone does not look alive for ever. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

/** One connection to one host, ready or on its way there. */
export class Connection {
	/** Rejects with the reason in words that name the host. */
	readonly ready: Promise<void>;
	/** Most channels at once. A server that refuses one lowers it; OpenSSH allows 10 (`MaxSessions`). */
	limit = 8;
	/** Runs that have a channel here. */
	channels = 0;
	/** Those, and connections that go through here. */
	users = 0;
	/** Whether anything has gone through here already. */
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

	/** End it at once, with everything that goes through it. */
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
			throw new ConnectionLost("the connection was given up");
		}
		await new Promise<void>((resolve, reject) => {
			// The package's own limit begins late: a host that swallows packets would not be noticed.
			const timer = setTimeout(() => reject({ level: "client-timeout" }), connectTimeout * 1_000);
			const settle = (act: () => void) => {
				clearTimeout(timer);
				act();
			};
			this.#closing.signal.addEventListener("abort", () => settle(() => reject(new ConnectionLost("the connection was given up"))));
			this.#client.on("ready", () => settle(resolve));
			// Stays for as long as the connection lives: an error without a listener would end the service.
			this.#client.on("error", (error) => {
				settle(() => reject(error));
				this.close();
			});
			this.#client.on("close", () => {
				settle(() => reject(new ConnectionLost("the host closed the connection")));
				this.close();
			});
			this.#client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) =>
				// What is shown while it is typed is not the password.
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

	/** A host that does not answer counts as gone. */
	async #open<T>(ask: (callback: ClientCallbackOf<T>) => unknown): Promise<T> {
		const { connectTimeout } = this.#options;
		let timer: NodeJS.Timeout | undefined;
		try {
			return await new Promise<T>((resolve, reject) => {
				timer = setTimeout(() => {
					reject(new ConnectionLost(`the host has not answered within ${connectTimeout} seconds`));
					this.close();
				}, connectTimeout * 1_000);
				ask((error, opened) => (error ? reject(toChannelError(error)) : resolve(opened)));
			});
		} catch (error) {
			// Thrown at once where the connection has ended.
			throw error instanceof Error && "code" in error ? toChannelError(error) : error;
		} finally {
			clearTimeout(timer);
			this.used = true;
		}
	}
}

type ClientCallbackOf<T> = (error: Error | undefined, opened: T) => void;

/** Done in the order of the members; what is in the list already could not be put in front. */
function putFirst<T>(values: T[]) {
	return { append: [] as T[], remove: values, prepend: values };
}
