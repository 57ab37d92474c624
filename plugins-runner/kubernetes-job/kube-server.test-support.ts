import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { KubeController } from "./kube-controller.test-support.ts";
import { KubeStore, type Stored, type StoredEvent } from "./kube-store.test-support.ts";

const kinds: Readonly<Record<string, string>> = { jobs: "Job", pods: "Pod", secrets: "Secret" };

interface Asked {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly kind: string;
	readonly namespace: string;
	readonly name: string | undefined;
	readonly query: URLSearchParams;
	readonly body: Stored;
}

/** Speaks as much of the API as jobs and kubectl need, and runs containers as processes. The shapes are those of Kubernetes' published API. */
export class KubeServer {
	readonly store = new KubeStore();
	readonly controller = new KubeController(this.store);
	/** Jobs that were ever accepted. */
	accepted = 0;
	/** Requests, as method and path. */
	readonly requests: string[] = [];
	/** Bearer tokens that it takes; undefined: it asks nobody who they are. */
	tokens: Set<string> | undefined;
	/** Milliseconds before each answer. */
	latency = 0;
	readonly #server: Server;
	readonly #isSecure: boolean;
	readonly #sockets = new Set<Socket>();
	#isCut = false;
	#losesAnswer = false;

	constructor(tls?: ServerOptions) {
		const answer = (request: IncomingMessage, response: ServerResponse) =>
			void this.#answer(request, response).catch((error) => response.destroy(error));
		this.#isSecure = tls !== undefined;
		this.#server =
			tls === undefined ? createServer(answer) : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, answer);
		this.#server.on(this.#isSecure ? "secureConnection" : "connection", (socket) => {
			if (this.#isCut) return socket.destroy();
			this.#sockets.add(socket.on("close", () => this.#sockets.delete(socket)));
		});
	}

	/** @param tls certificate and key; `ca` is whose client certificates are taken. Without it clients come in clear. */
	static async start(tls?: ServerOptions): Promise<KubeServer> {
		const server = new KubeServer(tls);
		server.#server.listen(0, "127.0.0.1");
		await once(server.#server, "listening");
		return server;
	}

	get url(): string {
		const address = this.#server.address();
		return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
	}

	cut(): void {
		this.#isCut = true;
		for (const socket of this.#sockets) socket.destroy();
	}

	mend(): void {
		this.#isCut = false;
		this.#losesAnswer = false;
	}

	/** The next job is made, and nobody hears of it. */
	loseNextAnswer(): void {
		this.#losesAnswer = true;
	}

	/** End every watch, and forget what they would go on from. */
	compact(): void {
		this.store.compact();
		for (const socket of this.#sockets) socket.destroy();
	}

	async stop(): Promise<void> {
		this.cut();
		this.controller.stop();
		this.#server.close();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
		this.requests.push(`${request.method} ${pathname}${query.has("watch") ? "?watch" : ""}`);
		if (!this.#knows(request)) {
			this.requests.push(`${request.method} ${pathname} 401`);
			return sendStatus(response, 401, "Unauthorized", "Unauthorized");
		}
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece as Buffer);
		if (this.latency > 0) await delay(this.latency);
		const found = /^\/(?:api\/v1|apis\/batch\/v1)\/namespaces\/([^/]+)\/(jobs|pods|secrets)(?:\/([^/]+)(\/log)?)?$/.exec(pathname);
		if (found === null) return sendDiscovery(response, pathname);
		const [, namespace = "", kind = "", name, log] = found;
		const text = Buffer.concat(pieces).toString();
		const asked: Asked = { request, response, namespace, name, query, kind: kinds[kind] ?? "", body: text === "" ? {} : JSON.parse(text) };
		if (log !== undefined) return this.#sendLog(asked);
		if (name === undefined)
			return request.method === "POST" ? this.#create(asked) : query.get("watch") ? this.#watch(asked) : this.#list(asked);
		const object = this.store.get(asked.kind, namespace, name);
		if (object === undefined) return sendStatus(response, 404, "NotFound", `${kind}.batch "${name}" not found`);
		if (request.method === "PATCH") return this.#patch(asked, object);
		if (request.method === "DELETE") return this.#delete(asked, object);
		send(response, 200, object);
	}

	#knows({ headers, socket }: IncomingMessage): boolean {
		if (this.tokens === undefined) return true;
		// A connection that goes on with the session of another one counts as authorized without any certificate.
		if (this.#isSecure && (socket as TLSSocket).authorized && (socket as TLSSocket).getPeerCertificate().subject !== undefined) return true;
		return this.tokens.has(headers.authorization?.replace(/^Bearer /, "") ?? "");
	}

	#create({ response, kind, namespace, body }: Asked): void {
		const data = Object.fromEntries(
			Object.entries(body.stringData ?? {}).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")]),
		);
		const { stringData, ...rest } = body;
		const made = this.store.add({ ...rest, ...(stringData === undefined ? {} : { data }), metadata: { ...body.metadata, namespace } });
		if (made === undefined) return sendStatus(response, 409, "AlreadyExists", `${kind} "${body.metadata.name}" already exists`);
		const answered = kind === "Job" ? this.controller.admit(made) : made;
		if (kind === "Job") this.accepted++;
		if (kind === "Job" && this.#losesAnswer) {
			this.#losesAnswer = false;
			return void response.destroy();
		}
		send(response, 201, answered);
	}

	#patch({ response, body }: Asked, object: Stored): void {
		if (body.metadata?.uid !== undefined && body.metadata.uid !== object.metadata.uid)
			return sendStatus(response, 409, "Conflict", "the uid does not match");
		const changed = this.store.change(object, (copy) => merge(copy, body));
		if (object.spec?.suspend === true && changed?.spec.suspend !== true) this.controller.resume(changed);
		send(response, 200, changed);
	}

	#delete({ response, kind, query, body }: Asked, object: Stored): void {
		const { uid, resourceVersion } = body.preconditions ?? {};
		const { metadata } = object;
		if ((uid ?? metadata.uid) !== metadata.uid || (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion) {
			return sendStatus(response, 409, "Conflict", "the precondition does not hold");
		}
		if (kind === "Job") this.controller.removeJob(object, body.propagationPolicy ?? query.get("propagationPolicy") ?? "Background");
		else if (kind === "Pod") this.controller.removePod(object);
		else this.store.remove(object);
		send(response, 200, {
			kind: "Status",
			apiVersion: "v1",
			metadata: {},
			status: "Success",
			details: { name: metadata.name, uid: metadata.uid },
		});
	}

	#list(asked: Asked): void {
		const { response, kind } = asked;
		const items = this.store.list(kind, (object) => isWanted(asked, object));
		const apiVersion = kind === "Job" ? "batch/v1" : "v1";
		send(response, 200, { kind: `${kind}List`, apiVersion, metadata: { resourceVersion: String(this.store.version) }, items });
	}

	#watch(asked: Asked): void {
		const { response, kind, query } = asked;
		const past = this.store.since(Number(query.get("resourceVersion") ?? this.store.version));
		response.writeHead(200, { "content-type": "application/json", "transfer-encoding": "chunked" });
		response.flushHeaders();
		const write = (event: Stored) => void response.write(`${JSON.stringify(event)}\n`);
		if (past === undefined) {
			write({ type: "ERROR", object: toStatus(410, "Expired", "too old resource version") });
			return void response.end();
		}
		const tell = ({ type, object }: StoredEvent) => {
			if (object.kind === kind && isWanted(asked, object)) write({ type, object });
		};
		for (const event of past) tell(event);
		response.on("close", this.store.listen(tell));
	}

	#sendLog({ response, namespace, name = "", query }: Asked): void {
		const pod = this.store.get("Pod", namespace, name);
		if (pod === undefined) return sendStatus(response, 404, "NotFound", `pods "${name}" not found`);
		const log = this.controller.logs.get(pod.metadata.uid);
		if (log === undefined)
			return sendStatus(response, 400, "BadRequest", `container "action" in pod "${name}" is waiting to start: ContainerCreating`);
		response.writeHead(200, { "content-type": "text/plain" });
		response.flushHeaders();
		const isStamped = query.get("timestamps") === "true";
		let sent = log.dropped;
		const go = () => {
			for (; sent < log.dropped + log.lines.length; sent++) {
				const { at, text } = log.lines[sent - log.dropped] ?? { at: "", text: "" };
				if (isStamped) response.write(`${at} `);
				response.write(text);
			}
			if (log.isOver || query.get("follow") !== "true") response.end();
		};
		log.followers.add(go);
		response.on("close", () => log.followers.delete(go));
		go();
	}
}

function isWanted({ namespace, query }: Asked, { metadata }: Stored): boolean {
	if (metadata.namespace !== namespace) return false;
	const pairs = (query.get("labelSelector") ?? "").split(",").filter((pair) => pair !== "");
	const field = query.get("fieldSelector");
	if (field !== null && field !== `metadata.name=${metadata.name}`) return false;
	return pairs.every((pair) => metadata.labels?.[pair.slice(0, pair.indexOf("="))] === pair.slice(pair.lastIndexOf("=") + 1));
}

function merge(target: Stored, patch: Stored): void {
	for (const [key, value] of Object.entries(patch)) {
		if (typeof value === "object" && value !== null && !Array.isArray(value)) merge((target[key] ??= {}), value);
		else if (value === null) delete target[key];
		else target[key] = value;
	}
}

function send(response: ServerResponse, status: number, body: Stored): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function toStatus(code: number, reason: string, message: string): Stored {
	return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}

function sendStatus(response: ServerResponse, code: number, reason: string, message: string): void {
	send(response, code, toStatus(code, reason, message));
}

/** What kubectl asks before anything else. */
function sendDiscovery(response: ServerResponse, path: string): void {
	const version = { groupVersion: "batch/v1", version: "v1" };
	const resource = (name: string, kind: string, more: object = {}) => ({
		name,
		kind,
		singularName: kind.toLowerCase(),
		namespaced: true,
		verbs: ["get", "list", "watch", "create", "delete", "patch"],
		...more,
	});
	const answers: Readonly<Record<string, Stored>> = {
		"/version": { major: "1", minor: "32", gitVersion: "v1.32.0" },
		"/api": { kind: "APIVersions", versions: ["v1"] },
		"/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [{ name: "batch", versions: [version], preferredVersion: version }] },
		"/api/v1": {
			kind: "APIResourceList",
			groupVersion: "v1",
			resources: [resource("pods", "Pod"), resource("pods/log", "Pod"), resource("secrets", "Secret")],
		},
		"/apis/batch/v1": { kind: "APIResourceList", groupVersion: "batch/v1", resources: [resource("jobs", "Job")] },
	};
	const answer = answers[path];
	if (answer === undefined) sendStatus(response, 404, "NotFound", "the server could not find the requested resource");
	else send(response, 200, answer);
}
