import { readFile } from "node:fs/promises";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import type { KubernetesJobOptions } from "./options.ts";

/** Where a pod finds its cluster. */
const inCluster = "/var/run/secrets/kubernetes.io/serviceaccount";
/** Milliseconds until an answer begins, and without a byte of one that is followed. */
const patience = 30_000;
const mostAnswer = 32 * 1024 * 1024;

/** The server did not answer, or could not: what was asked may have been done all the same. */
export class KubeUnreachable extends Error {
	override readonly name = "KubeUnreachable";
}

/** The server has answered that it will not. */
export class KubeRefusal extends Error {
	override readonly name = "KubeRefusal";
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

interface KubeRequest {
	readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
	readonly path: string;
	readonly body?: JsonObject;
	readonly signal?: AbortSignal;
}

/** As much of a client of the API as jobs need. */
export class KubeClient {
	readonly #options: KubernetesJobOptions;
	#agent: HttpAgent | HttpsAgent | undefined;
	#server: URL | undefined;

	constructor(options: KubernetesJobOptions) {
		this.#options = options;
	}

	/** Reads the files; asks no server. */
	async start(): Promise<string> {
		const { server, ca_file, client_certificate_file, client_key_file, namespace } = this.#options;
		const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
		const isInside = server === undefined;
		if (isInside && !host)
			throw new SvcError("SVC_CONFIG", 'runner "kubernetes-job" needs the option server, as this is no pod of a cluster');
		this.#server = new URL(server ?? `https://${host?.includes(":") ? `[${host}]` : host}:${port}`);
		const read = async (path: string | undefined) => (path === undefined ? undefined : readOption(path));
		const [ca, cert, key] = await Promise.all([
			read(ca_file ?? (isInside ? `${inCluster}/ca.crt` : undefined)),
			read(client_certificate_file),
			read(client_key_file),
		]);
		const given = { keepAlive: true, ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert, key }) };
		this.#agent = this.#server.protocol === "https:" ? new HttpsAgent(given) : new HttpAgent({ keepAlive: true });
		return namespace ?? (isInside ? (await readOption(`${inCluster}/namespace`)).trim() : "default");
	}

	stop(): void {
		this.#agent?.destroy();
	}

	/** Ask and read the whole answer. */
	async ask<T>(request: KubeRequest): Promise<T> {
		const answer = await this.#open(request);
		try {
			return JSON.parse(await readAll(answer)) as T;
		} catch (cause) {
			throw new KubeUnreachable(`the answer to ${request.path} was cut off`, { cause });
		}
	}

	/** An answer that goes on, as bytes. Ends when the server ends it, throws `KubeUnreachable` when it is cut. */
	async *follow(request: KubeRequest): AsyncGenerator<Buffer> {
		const answer = await this.#open(request);
		try {
			for await (const piece of answer) yield piece as Buffer;
		} catch (cause) {
			throw new KubeUnreachable("the connection was cut", { cause });
		} finally {
			answer.destroy();
		}
	}

	async #open({ method = "GET", path, body, signal }: KubeRequest): Promise<IncomingMessage> {
		const token = await this.#readToken();
		const text = body === undefined ? undefined : JSON.stringify(body);
		const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
		const url = new URL(path, this.#server);
		const answer = await new Promise<IncomingMessage>((resolve, reject) => {
			const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
				method,
				agent: this.#agent,
				headers: {
					accept: "application/json",
					"user-agent": "svc-automation",
					...(text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) }),
					...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
				},
				...(signal === undefined ? {} : { signal }),
			});
			// Only until the answer begins: one that is followed may be silent for as long as it likes.
			const timer = setTimeout(() => request.destroy(new Error(`no answer within ${patience / 1_000} s`)), patience);
			request.on("response", (response) => {
				clearTimeout(timer);
				resolve(response);
			});
			request.on("error", (cause) => {
				clearTimeout(timer);
				reject(new KubeUnreachable(`the API server cannot be reached: ${cause.message}`, { cause }));
			});
			request.end(text);
		});
		const { statusCode: status = 0 } = answer;
		if (status >= 200 && status < 300) return answer;
		const said = await readAll(answer).catch(() => "");
		// Told to come later: nothing is wrong with the request.
		if (status === 429 || status >= 500) throw new KubeUnreachable(`the API server answers ${status}: ${toMessage(said)}`);
		throw new KubeRefusal(status, toMessage(said));
	}

	async #readToken(): Promise<string | undefined> {
		const { server, token_file = server === undefined ? `${inCluster}/token` : undefined } = this.#options;
		return token_file === undefined ? undefined : (await readOption(token_file)).trim();
	}
}

async function readOption(path: string): Promise<string> {
	try {
		return await readFile(path, "utf8");
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `runner "kubernetes-job" cannot read "${path}"`, { cause });
	}
}

async function readAll(answer: IncomingMessage): Promise<string> {
	const pieces: Buffer[] = [];
	let length = 0;
	for await (const piece of answer) {
		length += (piece as Buffer).length;
		if (length > mostAnswer) throw new Error("the answer is too long");
		pieces.push(piece as Buffer);
	}
	return Buffer.concat(pieces).toString();
}

/** `message` of the Status that the server sends. */
function toMessage(text: string): string {
	try {
		const { message } = JSON.parse(text) as { readonly message?: unknown };
		if (typeof message === "string") return message.slice(0, 1_000);
	} catch {
		// A proxy on the way says it in its own words.
	}
	return text.slice(0, 200);
}
