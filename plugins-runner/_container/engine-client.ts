import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { AnswerTooLong, readAnswer, toRefusal } from "../_engine-responses/index.ts";
import type { EngineAddress } from "./engine-address.ts";
import { EngineRefusal, EngineUnreachable, toUnreachable } from "./engine-errors.ts";

export interface EngineCall {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** Request body: a buffer is sent unchanged as a tar archive, an object as JSON. */
	readonly body?: object | Buffer;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
	/** Milliseconds before the response must begin. Default a minute; 0 disables the limit, for calls that wait for an event. */
	readonly patience?: number;
}

const defaultPatience = 60_000;
/** Maximum bytes of a response that is not a stream. Descriptions of containers are long, but limited. */
const maxAnswerLength = 16 * 1024 * 1024;
/** Newest API version used. With an older engine, the engine's version is used; newer engines still support this version. */
const newestVersion = "1.44";

/** Client of the Docker Engine API, which Podman supports too. It connects to a local socket, or by TCP with TLS. */
export class EngineClient {
	readonly #address: EngineAddress;
	#version: string | undefined;

	constructor(address: EngineAddress) {
		this.#address = address;
	}

	/** Returns the response as JSON; undefined if it is empty. Throws `EngineRefusal` for statuses from 300 on, except 304. */
	async json(call: EngineCall): Promise<unknown> {
		const response = await this.stream(call);
		const text = await readText(response);
		if (text.trim() === "") return undefined;
		try {
			return JSON.parse(text);
		} catch {
			throw new EngineRefusal(502, "the response of the engine is not JSON");
		}
	}

	/** Returns the response as a stream. The caller must read it to its end or destroy it. */
	async stream(call: EngineCall): Promise<IncomingMessage> {
		this.#version ??= await this.#negotiate(call.signal);
		return this.#send(call, `/v${this.#version}`);
	}

	/** Uses `/_ping` instead of `/version`, because Podman starts the package manager to answer `/version`. */
	async #negotiate(signal: AbortSignal | undefined): Promise<string> {
		const response = await this.#send({ method: "GET", path: "/_ping", ...(signal === undefined ? {} : { signal }) }, "");
		response.resume();
		const version = String(response.headers["api-version"] ?? "");
		return /^\d+\.\d+$/.test(version) && isOlder(version, newestVersion) ? version : newestVersion;
	}

	async #send(call: EngineCall, prefix: string): Promise<IncomingMessage> {
		const response = await this.#open(call, prefix);
		const status = response.statusCode ?? 0;
		if (status < 300 || status === 304) return response;
		const message = toRefusal(await readText(response));
		// A proxy returns these statuses if the engine does not answer.
		if (status >= 502 && status <= 504) throw new EngineUnreachable(message);
		throw new EngineRefusal(status, message);
	}

	#open({ method, path, query, body, headers, signal, patience = defaultPatience }: EngineCall, prefix: string): Promise<IncomingMessage> {
		const content = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
		const type = Buffer.isBuffer(body) ? "application/x-tar" : "application/json";
		const options: RequestOptions = {
			...toConnection(this.#address),
			method,
			path: `${prefix}${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`,
			headers: { ...headers, ...(content === undefined ? {} : { "content-type": type, "content-length": content.length }) },
			// Each request opens a new connection: a restarted engine has closed all idle ones.
			agent: false,
			...(signal === undefined ? {} : { signal }),
		};
		return new Promise((resolve, reject) => {
			const isSecure = "tls" in this.#address && this.#address.tls !== undefined;
			const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)(options);
			const fail = (error: Error) => reject(toUnreachable(error, this.#address));
			const timer = patience === 0 ? undefined : setTimeout(() => request.destroy(new Error("no answer")), patience);
			request.on("error", fail);
			request.on("close", () => clearTimeout(timer));
			request.on("response", (response) => {
				clearTimeout(timer);
				resolve(response);
			});
			request.setSocketKeepAlive(true, 10_000);
			request.end(content);
		});
	}
}

function toConnection(address: EngineAddress): RequestOptions {
	if ("socketPath" in address) return { socketPath: address.socketPath, host: "engine" };
	return { host: address.host, port: address.port, ...address.tls };
}

async function readText(response: IncomingMessage): Promise<string> {
	return (await readBytes(response, maxAnswerLength)).toString();
}

/** Returns the whole response. Throws `EngineRefusal` if it is longer than `most` bytes. */
export async function readBytes(response: IncomingMessage, most: number): Promise<Buffer> {
	try {
		return await readAnswer(response, most);
	} catch (error) {
		if (error instanceof AnswerTooLong) throw new EngineRefusal(502, "the response of the engine is too long");
		throw new EngineUnreachable(`the connection to the container engine was lost: ${String(error)}`);
	}
}

function isOlder(version: string, than: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const [otherMajor = 0, otherMinor = 0] = than.split(".").map(Number);
	return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
