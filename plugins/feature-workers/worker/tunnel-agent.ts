import { type AgentOptions, type ClientRequestArgs, Agent as HttpAgent, request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";

export interface TunnelOptions extends AgentOptions {
	/** Address of the proxy: `http://user:password@host:port`. */
	readonly proxy: string;
	/** True if the service is reached over TLS. */
	readonly isSecure: boolean;
	readonly ca?: string[];
}

/** Milliseconds to wait for the response of the proxy. */
const responseTimeoutMs = 15_000;

/** Opens connections through an HTTP proxy (CONNECT). If the service uses TLS, the proxy sees its host name but none of the data. */
export class TunnelAgent extends HttpAgent {
	readonly #options: TunnelOptions;

	constructor(options: TunnelOptions) {
		super(options);
		this.#options = options;
		// Node.js rejects a request whose protocol differs from that of the agent. Requests over TLS have the protocol `https:`.
		Object.assign(this, { protocol: options.isSecure ? "https:" : "http:", defaultPort: options.isSecure ? 443 : 80 });
	}

	override createConnection(target: ClientRequestArgs, done?: (error: Error | null, stream: Duplex) => void): Duplex | null | undefined {
		const { isSecure, ca } = this.#options;
		const host = String(target.host);
		this.#open(`${host}:${target.port}`).then(
			(socket) => {
				const name = isIP(host) === 0 ? { servername: host } : {};
				const secured: ConnectionOptions = { socket, host, ...name, ...(ca !== undefined && { ca }) };
				done?.(null, isSecure ? connect(secured) : socket);
			},
			(error: Error) => done?.(error, undefined as unknown as Duplex),
		);
		return undefined;
	}

	#open(authority: string): Promise<Socket> {
		const { hostname, port, username, password } = new URL(this.#options.proxy);
		const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
		const headers = username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
		const options = { host: hostname, port: port || 80, method: "CONNECT", path: authority, headers: { host: authority, ...headers } };
		return new Promise((resolve, reject) => {
			const asked = request({ ...options, agent: false, createConnection: () => connectTcp(Number(options.port), options.host) });
			asked.setTimeout(responseTimeoutMs, () => asked.destroy(new Error("the proxy did not respond")));
			asked.on("error", reject);
			asked.on("connect", ({ statusCode }, socket) => {
				if (statusCode === 200) return resolve(socket as Socket);
				socket.destroy();
				reject(new Error(`the proxy responded with status ${statusCode}`));
			});
			asked.on("response", ({ statusCode }) => asked.destroy(new Error(`the proxy responded with status ${statusCode}`)));
			asked.end();
		});
	}
}
