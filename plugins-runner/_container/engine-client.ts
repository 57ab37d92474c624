import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { AnswerTooLong, readAnswer, toRefusal } from "../_engine-answers/index.ts";
import type { EngineAddress } from "./engine-address.ts";
import { EngineRefusal, EngineUnreachable, toUnreachable } from "./engine-errors.ts";

export interface EngineCall {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** Sent as JSON; of a buffer the bytes, as an archive. */
	readonly body?: object | Buffer;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
	/** Milliseconds until the answer begins. Default a minute; 0 for calls that wait for something. */
	readonly patience?: number;
}

const defaultPatience = 60_000;
/** Bytes of an answer that is no stream: descriptions of containers are long, but not endless. */
const longestAnswer = 16 * 1024 * 1024;
/** The newest version that is spoken: older engines are spoken to in theirs, and those of today still know it. */
const newestVersion = "1.44";

/** Speaks the Docker Engine API, which Podman has too: over a socket of this machine, or TCP with TLS. */
export class EngineClient {
	readonly #address: EngineAddress;
	#version: string | undefined;

	constructor(address: EngineAddress) {
		this.#address = address;
	}

	/** The answer as JSON; undefined where it is empty. Throws `EngineRefusal` for statuses from 300, but 304. */
	async json(call: EngineCall): Promise<unknown> {
		const response = await this.stream(call);
		const text = await readText(response);
		if (text.trim() === "") return undefined;
		try {
			return JSON.parse(text);
		} catch {
			throw new EngineRefusal(502, "the engine's answer is no JSON");
		}
	}

	/** The answer while it comes. Whoever reads it ends it. */
	async stream(call: EngineCall): Promise<IncomingMessage> {
		this.#version ??= await this.#negotiate(call.signal);
		return this.#send(call, `/v${this.#version}`);
	}

	/** Not by `/version`: Podman asks the package manager for what it answers there. */
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
		// A proxy in front of it answers so for an engine that does not.
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
			// Each has its own: an engine that was restarted has closed those that were kept.
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
	return (await readBytes(response, longestAnswer)).toString();
}

/** All of an answer; throws `EngineRefusal` where it has more than so many bytes. */
export async function readBytes(response: IncomingMessage, most: number): Promise<Buffer> {
	try {
		return await readAnswer(response, most);
	} catch (error) {
		if (error instanceof AnswerTooLong) throw new EngineRefusal(502, "the engine's answer is too long");
		throw new EngineUnreachable(`the connection to the container engine is lost: ${String(error)}`);
	}
}

function isOlder(version: string, than: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const [otherMajor = 0, otherMinor = 0] = than.split(".").map(Number);
	return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
