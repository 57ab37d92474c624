import type { H3 } from "h3";
import { type Clock, type Logger, type Meters, type NodeRole, nodeRoles, type Options } from "../contract/index.ts";
import { settledWithin } from "../lib/wait.ts";
import { createApp } from "./app.ts";
import { noRecorder, type Recorder } from "./audit-hook.ts";
import type { Guard } from "./authorizer.ts";
import { BodyMemory } from "./body-memory.ts";
import { alreadyRead } from "./body-reader.ts";
import { createCors } from "./cors.ts";
import { findHostProblem } from "./host-header.ts";
import { HttpMetrics, noMeters } from "./http-metrics.ts";
import { findListeners, type ListenerName } from "./listeners.ts";
import type { Mount } from "./mount-api.ts";
import { createNodeHandler } from "./node-handler.ts";
import { OpenStreams } from "./open-streams.ts";
import { ApiDescription } from "./openapi/api-description.ts";
import { webPage } from "./placeholder-page.ts";
import { type Reply, replyFault } from "./replies.ts";
import type { Responder } from "./request-pipeline.ts";
import type { HttpContext, Route } from "./route.ts";
import { type Server, startServer } from "./server.ts";
import { Broadcasts } from "./sse-fan-outs.ts";

/** What the HTTP interface is made from. */
export interface HttpParts<E> {
	/** What the routes ask. */
	readonly engine: E;
	readonly guard: Guard;
	/** Default: no record is kept of what is changed. */
	readonly recorder?: Recorder | undefined;
	readonly routes: readonly Route<E>[];
	readonly options: Options;
	/** Parts of the service that this node runs. Default: all of them. */
	readonly roles?: readonly NodeRole[];
	readonly logger: Logger;
	/** Default: the clock of the system. */
	readonly clock?: Clock;
	/** Version of the service, shown by the index. Default `0.0.0`. */
	readonly version?: string;
	/** Answer 503 to everything but the health checks until `open` is called. Default false. */
	readonly isClosed?: boolean;
	/** What a browser is shown at the root. Default: a page that says where to look instead. */
	readonly page?: (() => Reply) | undefined;
	/** Path that the addresses begin with which `fetch` and `nodeHandler` get, such as `/automation`. Default none. */
	readonly basePath?: string | undefined;
	/** Where what is measured is declared. Default: nothing is. */
	readonly meters?: Meters;
}

/** The service's HTTP interface. */
export interface Http {
	/** Every route, for tests that walk them. */
	readonly routes: readonly Route[];
	/** Open the listeners that are switched on and that the node's roles need; their addresses. When one fails, none stays open. */
	start(): Promise<ListenerAddresses>;
	/** The service has started: answer what is asked. */
	open(): void;
	/** Addresses of the listeners that are open. */
	addresses(): ListenerAddresses;
	/** Address of the API listener: the real one once it listens, else what the options say. */
	apiUrl(): string;
	/** End the event streams, answer what is being answered, close. May be called twice. */
	stop(): Promise<void>;
	/** Answer a request as the API listener would, without a socket. Never rejects. */
	readonly fetch: Mount["fetch"];
	/** Answer a request of `node:http` as the API listener would, on the socket of somebody else. */
	readonly nodeHandler: Mount["nodeHandler"];
}

/** Where the listeners are; `health` answers health checks and whoever watches the node. */
export type ListenerAddresses = { readonly [L in ListenerName]?: string };

/** The HTTP interface that answers the given routes. Throws when one declares no permission. */
export function createRoutedHttp<E>(given: HttpParts<E>): Http {
	const { routes, guard, options, roles = nodeRoles, logger, basePath = "", version = "0.0.0", page = () => webPage } = given;
	const streams = new OpenStreams({
		limit: options.stream.max_per_user,
		authenticate: (offered) => guard.authenticate(offered),
		now: () => performance.now(),
	});
	const servers = new Map<keyof ListenerAddresses, Server>();
	let isClosed = given.isClosed === true;
	const context: HttpContext = {
		engine: given.engine,
		guard,
		options,
		logger,
		clock: given.clock ?? { now: () => Date.now() * 1_000 },
		version,
		apiUrl: () => servers.get("api")?.url ?? `${options.api.use_ssl ? "https" : "http"}://${options.api.host}:${options.api.port}`,
		streams,
		metrics: new HttpMetrics(given.meters ?? noMeters, streams),
		broadcasts: new Broadcasts(),
		bodies: new BodyMemory({ total: options.api.max_total_body_size, largest: options.api.max_body_size }),
		isClosed: () => isClosed,
		listener: "api",
		description: new ApiDescription(routes, version),
		recorder: given.recorder ?? noRecorder,
	};
	const apps = createApps({ context, cors: createCors(options), page }, routes);
	const mount = createMount(() => apps.at(basePath), logger);
	const addresses = () => Object.fromEntries([...servers].map(([listener, server]) => [listener, server.url])) as ListenerAddresses;
	const toApp = (name: ListenerName) => (name === "health" ? apps.health() : apps[name]);
	const stop = async () => {
		streams.stop();
		const open = [...servers.values()];
		servers.clear();
		await Promise.all([mount.stop(), ...open.map((server) => server.stop())]);
	};
	return {
		routes,
		apiUrl: context.apiUrl,
		addresses,
		async start() {
			try {
				for (const { name, address } of findListeners(options, roles)) servers.set(name, await startServer(toApp(name), address, logger));
			} catch (error) {
				await stop();
				throw error;
			}
			return addresses();
		},
		open() {
			isClosed = false;
		},
		stop,
		fetch: mount.fetch,
		nodeHandler: mount.nodeHandler,
	};
}

/** The applications of the listeners, and what makes one for another place. */
function createApps(responder: Responder, routes: readonly Route[]) {
	const api = createApp("api", routes, responder);
	return {
		auth: createApp("auth", routes, responder),
		api,
		stream: createApp("stream", routes, responder),
		health: () =>
			createApp(
				"api",
				routes.filter(({ isAlwaysOpen, isForWatchers }) => isAlwaysOpen === true || isForWatchers === true),
				responder,
			),
		at: (base: string) => (base === "" ? api : createApp("api", routes, responder, base)),
	};
}

const answerGrace = 2_000;
const stopped = replyFault(503, "the service has been stopped");

/** @param createApp called at the first request, as most services are mounted nowhere */
function createMount(createApp: () => H3, logger: Logger): Mount {
	const answering = new Set<Promise<unknown>>();
	let created: H3 | undefined;
	let handleNode: ReturnType<typeof createNodeHandler> | undefined;
	let isStopped = false;

	const app = () => (created ??= createApp());

	async function track<T>(answer: Promise<T>): Promise<T> {
		answering.add(answer);
		try {
			return await answer;
		} finally {
			answering.delete(answer);
		}
	}

	return {
		async fetch(request, { remoteAddress } = {}) {
			if (isStopped) return toResponse(stopped);
			const host = request.headers.get("host");
			const hostProblem = findHostProblem(host === null ? [] : [host], { isNeeded: false });
			if (hostProblem !== undefined) return toResponse(replyFault(400, hostProblem));
			if (!request.bodyUsed) return track(Promise.resolve(app().request(request, undefined, { remoteAddress })));
			logger.error("request failed", { error: alreadyRead });
			return toResponse(replyFault(500, alreadyRead));
		},
		nodeHandler(request, response) {
			if (isStopped) {
				response.writeHead(stopped.status, stopped.headers).end(stopped.body);
				return;
			}
			handleNode ??= createNodeHandler(app(), logger);
			void track(handleNode(request, response));
		},
		async stop() {
			isStopped = true;
			await settledWithin(Promise.allSettled(answering), answerGrace);
		},
	};
}

function toResponse({ body, ...rest }: Reply): Response {
	return new Response(body, rest);
}
