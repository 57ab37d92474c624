import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { type JsonObject, parseJson, SvcError } from "../../core/contract/index.ts";
import { readAnswer, toRefusal } from "../_engine-responses/index.ts";
import { type ClusterCredentials, readFrom } from "./cluster-credentials.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import type { KubernetesJobOptions } from "./options.ts";

/** Milliseconds to wait for the start of a response, and for each further byte of a response that is read whole. */
const responseTimeoutMs = 30_000;
const maxAnswer = 32 * 1024 * 1024;

/** The API server was not reached, or could not answer (429, 5xx). The request may still have been carried out. */
export class KubeUnreachable extends Error {
	override readonly name = "KubeUnreachable";
}

/** The server refused the request. */
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

/** Client of the parts of the Kubernetes API that jobs need. */
export class KubeClient {
	readonly #options: KubernetesJobOptions;
	/** Agents of all requests. Node.js opens separate connections for different certificates. */
	readonly #agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

	constructor(options: KubernetesJobOptions) {
		this.#options = options;
	}

	/**
	 * Reads and validates the files with credentials, without a request to the server. Returns the namespace of actions that name none. Throws
	 * `SVC_CONFIG`.
	 */
	async start(): Promise<string> {
		const { namespace, ca, certificate, key } = await findAccess(this.#options);
		try {
			// Without an error, Node.js ignores a CA string that is not PEM, and then trusts no server.
			if (ca !== undefined && !ca.includes("-----BEGIN ")) throw new Error("the certificate of the authority is missing");
			createSecureContext(toTls({ ca, certificate, key, serverName: undefined }));
		} catch (cause) {
			throw new SvcError("SVC_CONFIG", 'runner "kubernetes-job" has certificates or a key that are not PEM or do not match', {
				cause,
			});
		}
		return this.#options.namespace ?? namespace ?? "default";
	}

	stop(): void {
		for (const agent of Object.values(this.#agents)) agent.destroy();
	}

	/** Sends a request and reads the complete response. */
	async ask<T>(request: KubeRequest): Promise<T> {
		const answer = await this.#open(request);
		try {
			return parseJson(await readAll(answer)) as T;
		} catch (cause) {
			throw new KubeUnreachable(`the response to ${request.path} was incomplete`, { cause });
		}
	}

	/**
	 * Sends a request and yields the response as it arrives. Ends when the server ends the response. Throws `KubeUnreachable` if the
	 * connection fails.
	 */
	async *follow(request: KubeRequest): AsyncGenerator<Buffer> {
		const answer = await this.#open(request);
		try {
			for await (const piece of answer) yield piece as Buffer;
		} catch (cause) {
			throw new KubeUnreachable("the connection was closed", { cause });
		} finally {
			answer.destroy();
		}
	}

	async #open(request: KubeRequest): Promise<IncomingMessage> {
		const answer = await this.#send(request, await this.#readAccess());
		const { statusCode: status = 0 } = answer;
		if (status >= 200 && status < 300) return answer;
		const said = await readAll(answer).catch(() => "");
		// The server is overloaded or failing. The request itself is valid and can be retried.
		if (status === 429 || status >= 500) throw new KubeUnreachable(`the API server responded with ${status}: ${toRefusal(said)}`);
		throw new KubeRefusal(status, toRefusal(said));
	}

	/** Reads the credentials. The files are replaced while the service runs, and may be missing for a moment. */
	async #readAccess(): Promise<ClusterCredentials> {
		try {
			return await findAccess(this.#options);
		} catch (cause) {
			throw new KubeUnreachable(cause instanceof Error ? cause.message : String(cause), { cause });
		}
	}

	#send({ method = "GET", path, body, signal }: KubeRequest, access: ClusterCredentials): Promise<IncomingMessage> {
		const text = body === undefined ? undefined : JSON.stringify(body);
		const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
		const url = new URL(`${access.server.pathname.replace(/\/$/, "")}${path}`, access.server);
		const isSecure = url.protocol === "https:";
		return receive(() =>
			(isSecure ? httpsRequest : httpRequest)(url, {
				method,
				agent: this.#agents[isSecure ? "https" : "http"],
				headers: {
					accept: "application/json",
					"user-agent": "svc-automation",
					...(text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) }),
					...(access.token ? { authorization: `Bearer ${access.token}` } : {}),
				},
				...(isSecure ? toTls(access) : {}),
				...(signal === undefined ? {} : { signal }),
			} as RequestOptions).end(text),
		);
	}
}

/**
 * Resolves at the start of the response. The time limit ends there, because a followed response may be silent for any length of time. TCP
 * keepalive detects that the server of a silent response is gone.
 */
function receive(send: () => ClientRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const fail = (cause: Error) => reject(new KubeUnreachable(`the API server cannot be reached: ${cause.message}`, { cause }));
		let request: ClientRequest;
		try {
			request = send();
		} catch (cause) {
			// The certificate files were replaced by invalid ones.
			return fail(cause as Error);
		}
		// The agent enables keepalive only for connections without TLS.
		request.setSocketKeepAlive(true, 10_000);
		const timer = setTimeout(() => request.destroy(new Error(`no answer within ${responseTimeoutMs / 1_000} s`)), responseTimeoutMs);
		request.on("response", (response) => {
			clearTimeout(timer);
			resolve(response);
		});
		request.on("error", (cause) => {
			clearTimeout(timer);
			fail(cause);
		});
	});
}

function toTls({ ca, certificate, key, serverName }: Pick<ClusterCredentials, "ca" | "certificate" | "key" | "serverName">) {
	return {
		...(ca === undefined ? {} : { ca }),
		...(certificate === undefined ? {} : { cert: certificate }),
		...(key === undefined ? {} : { key }),
		...(serverName === undefined ? {} : { servername: serverName }),
	};
}

async function readAll(answer: IncomingMessage): Promise<string> {
	return (await readAnswer(withinPatience(answer), maxAnswer)).toString();
}

/** Yields the body of an answer. Throws if no byte arrives within the time limit. */
async function* withinPatience(answer: IncomingMessage): AsyncGenerator<Buffer> {
	const expire = () => answer.destroy(new Error(`no data within ${responseTimeoutMs / 1_000} s`));
	let timer = setTimeout(expire, responseTimeoutMs);
	try {
		for await (const piece of answer) {
			clearTimeout(timer);
			yield piece as Buffer;
			timer = setTimeout(expire, responseTimeoutMs);
		}
	} finally {
		clearTimeout(timer);
	}
}

/** Directory in a pod with the token and certificate of its service account. */
const ofPod = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reads every file again, because tokens of pods change and certificates expire. Sends no request. */
export async function findAccess(options: KubernetesJobOptions): Promise<ClusterCredentials> {
	if (options.kubeconfig !== undefined) return readKubeconfig(options.kubeconfig, options.context);
	return options.server === undefined ? readOfPod(options) : readOptions(options.server, options);
}

async function readOptions(server: string, options: KubernetesJobOptions): Promise<ClusterCredentials> {
	const { ca_file, token_file, client_certificate_file, client_key_file, namespace } = options;
	const [ca, token, certificate, key] = await Promise.all(
		[ca_file, token_file, client_certificate_file, client_key_file].map((path) => (path === undefined ? undefined : readFrom(path))),
	);
	return { server: new URL(server), namespace, ca, token: token?.trim(), certificate, key, serverName: undefined };
}

async function readOfPod(options: KubernetesJobOptions): Promise<ClusterCredentials> {
	const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
	if (!host)
		throw new SvcError("SVC_CONFIG", 'runner "kubernetes-job" requires the option server or kubeconfig, because it does not run in a pod');
	const { service_account_directory: directory = ofPod, namespace } = options;
	const files = { ca_file: join(directory, "ca.crt"), token_file: join(directory, "token") };
	const access = await readOptions(`https://${host.includes(":") ? `[${host}]` : host}:${port}`, { ...files, ...options });
	return { ...access, namespace: namespace ?? (await readFrom(join(directory, "namespace"))).trim() };
}
