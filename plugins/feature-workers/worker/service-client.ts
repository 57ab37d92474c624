import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { type JsonObject, parseJson, SvcError, type SvcErrorCode, stringifyJson, toErrorMessage } from "../../../core/contract/index.ts";
import { TunnelAgent } from "./tunnel-agent.ts";

export interface ConnectionOptions {
	/** URL of the API, including the version, such as `https://svc.example/api/v1`. */
	readonly apiUrl: string;
	readonly apiKey: string;
	/** Certificates (PEM) of all trusted authorities. The list must include those that Node.js ships, because it replaces them. */
	readonly ca?: readonly string[] | undefined;
	/** Address of an HTTP proxy. */
	readonly proxy?: string | undefined;
}

/** Milliseconds without data after which a request fails. Must be longer than the 20 s for which a poll waits for work. */
const silence = 30_000;
/** Maximum size of a response, in bytes. */
const maxAnswerSize = 64 * 1_048_576;

const codes: Readonly<Record<number, SvcErrorCode>> = {
	400: "SVC_INVALID",
	401: "SVC_UNAUTHORIZED",
	403: "SVC_FORBIDDEN",
	404: "SVC_NOT_FOUND",
	409: "SVC_CONFLICT",
	413: "SVC_TOO_LARGE",
	415: "SVC_UNSUPPORTED",
};

/** Sends the requests of a worker. Keeps at most 16 connections open. */
export class ServiceClient {
	readonly #options: ConnectionOptions;
	readonly #isSecure: boolean;
	readonly #agent: HttpAgent | HttpsAgent;

	constructor(options: ConnectionOptions) {
		const { apiUrl, proxy, ca } = options;
		this.#options = options;
		this.#isSecure = apiUrl.startsWith("https:");
		const kept = { keepAlive: true, maxSockets: 16, ...(ca !== undefined && { ca: [...ca] }) };
		if (proxy !== undefined) this.#agent = new TunnelAgent({ ...kept, proxy, isSecure: this.#isSecure });
		else this.#agent = this.#isSecure ? new HttpsAgent(kept) : new HttpAgent(kept);
	}

	/**
	 * Sends a request and returns the response of the API. Throws `SVC_UNAVAILABLE` for every failure that may be temporary. The fact
	 * `foreign` is true if an error response was not sent by the API.
	 */
	async post<T>(path: string, body: JsonObject, signal?: AbortSignal): Promise<T> {
		const text = stringifyJson(body);
		const { status, answer } = await this.#send(path, text, signal);
		if (status === 200) return parse<T>(answer);
		const fault = toFault(answer);
		const facts = { status, ...(fault === undefined && { foreign: true }) };
		throw new SvcError(codes[status] ?? "SVC_UNAVAILABLE", fault ?? `the service answered with status ${status}`, { facts });
	}

	close(): void {
		this.#agent.destroy();
	}

	#send(path: string, body: string, signal?: AbortSignal): Promise<{ readonly status: number; readonly answer: string }> {
		const { apiUrl, apiKey } = this.#options;
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), "svc-api-key": apiKey };
		const options: RequestOptions = { method: "POST", agent: this.#agent, headers, ...(signal !== undefined && { signal }) };
		return new Promise((resolve, reject) => {
			const fail = (error: unknown) =>
				reject(new SvcError("SVC_UNAVAILABLE", `cannot reach the service at ${apiUrl}: ${toErrorMessage(error)}`, { cause: error }));
			const request = (this.#isSecure ? requestHttps : requestHttp)(`${apiUrl}${path}`, options);
			request.setTimeout(silence, () => request.destroy(new Error("it does not respond")));
			request.on("error", fail);
			read(request, resolve, fail);
			request.end(body);
		});
	}
}

function read(
	request: ClientRequest,
	done: (answer: { readonly status: number; readonly answer: string }) => void,
	fail: (error: unknown) => void,
): void {
	request.on("response", (response) => {
		const pieces: Buffer[] = [];
		let size = 0;
		response.on("data", (piece: Buffer) => {
			size += piece.length;
			if (size > maxAnswerSize) request.destroy(new Error("the response is too large"));
			else pieces.push(piece);
		});
		response.on("error", fail);
		response.on("end", () => done({ status: response.statusCode ?? 0, answer: Buffer.concat(pieces).toString("utf8") }));
	});
}

function parse<T>(answer: string): T {
	try {
		return parseJson(answer) as T;
	} catch (cause) {
		throw new SvcError("SVC_UNAVAILABLE", "the response is not JSON: is this the address of the service?", { cause });
	}
}

function toFault(answer: string): string | undefined {
	try {
		const { faultstring } = parseJson(answer) as { readonly faultstring?: unknown };
		return typeof faultstring === "string" ? faultstring : undefined;
	} catch {
		return undefined;
	}
}
