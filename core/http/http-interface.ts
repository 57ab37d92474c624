import type { H3 } from "h3";
import { type Clock, type Logger, type Meters, type NodeRole, nodeRoles, type Options } from "../contract/index.ts";
import { settledWithin } from "../lib/wait.ts";
import type { AccessGuard } from "./access-guard.ts";
import { createApp } from "./app.ts";
import { type AuditHook, noAuditHook } from "./audit-hook.ts";
import { BodyMemory } from "./body-memory.ts";
import { bodyAlreadyReadMessage } from "./body-reader.ts";
import { createCors } from "./cors.ts";
import type { Mount } from "./embedding.ts";
import { findHostProblem } from "./host-header.ts";
import { HttpMetrics, noMeters } from "./http-metrics.ts";
import { type ListenerName, selectEnabledListeners } from "./listeners.ts";
import { createNodeHandler } from "./node-handler.ts";
import { OpenStreams } from "./open-streams.ts";
import type { ApiDescriptionProvider } from "./openapi/api-description-provider.ts";
import { type ApiDocument, toDocument } from "./openapi/document.ts";
import { toPage } from "./openapi/page.ts";
import { placeholderPage } from "./placeholder-page.ts";
import { type Reply, replyFault } from "./replies.ts";
import type { PipelineDependencies } from "./request-pipeline.ts";
import type { HttpContext, Route } from "./route.ts";
import { type Server, startServer } from "./server.ts";
import { SseFanOutHub } from "./sse-fan-out-hub.ts";

/** Dependencies and settings of the HTTP interface. */
export interface HttpInterfaceOptions<E> {
	/** The engine that the routes use. */
	readonly engine: E;
	readonly guard: AccessGuard;
	/** Records changes and refused requests. Default: nothing is recorded. */
	readonly recorder?: AuditHook | undefined;
	readonly routes: readonly Route<E>[];
	readonly options: Options;
	/** Roles of this node, which decide the listeners to open. Default: all roles. */
	readonly roles?: readonly NodeRole[];
	readonly logger: Logger;
	/** Default: the system clock. */
	readonly clock?: Clock;
	/** Version of the service, shown at the root of the API. Default `0.0.0`. */
	readonly version?: string;
	/** True if every request except health checks is answered with 503 until `open` is called. Default false. */
	readonly isClosed?: boolean;
	/** Returns the page that a browser gets at the root. Default: a placeholder page that names the other ways to use the service. */
	readonly page?: (() => Reply) | undefined;
	/** Returns the home page of the documentation site. Default: `/docs/` is another address of the API description. */
	readonly documentation?: ((request: Request) => Promise<Reply>) | undefined;
	/** Prefix of the paths of requests to `fetch` and `nodeHandler`, such as `/automation`. Default none. */
	readonly basePath?: string | undefined;
	/** Declares the metrics of the interface. Default: nothing is measured. */
	readonly meters?: Meters;
}

/** The service's HTTP interface. */
export interface HttpInterface {
	/** All routes, for tests that iterate over them. */
	readonly routes: readonly Route[];
	/** True if a browser gets a page at the root, and not the placeholder. */
	readonly hasPage: boolean;
	/**
	 * Opens the listeners that are enabled and that the node's roles need. Returns their addresses. If one cannot be opened, closes
	 * the others and throws `SVC_CONFIG`.
	 */
	start(): Promise<ListenerAddresses>;
	/** Answers all requests from now on, because the service has started. */
	open(): void;
	/** Returns the addresses of the open listeners. */
	addresses(): ListenerAddresses;
	/** Returns the address of the API listener: the actual one once it is open, otherwise the configured one. */
	apiUrl(): string;
	/**
	 * Ends the event streams, waits for requests in progress for up to two seconds, and closes the listeners. May be called more than
	 * once.
	 */
	stop(): Promise<void>;
	/** Answers a request like the API listener, without a socket. Never rejects. */
	readonly fetch: Mount["fetch"];
	/** Answers a request of `node:http` like the API listener, on the socket of the embedding program's server. */
	readonly nodeHandler: Mount["nodeHandler"];
}

/** Addresses of the open listeners. `health` answers health checks and requests for monitoring. */
export type ListenerAddresses = { readonly [L in ListenerName]?: string };

/** Creates the HTTP interface for the given routes. Throws an `Error` if a route does not declare its permission or its answers. */
export function createHttpInterface<E>(parts: HttpInterfaceOptions<E>): HttpInterface {
	const { routes, guard, options, roles = nodeRoles, logger, basePath = "", version = "0.0.0", page = () => placeholderPage } = parts;
	const streams = new OpenStreams({
		maxStreamsPerUser: options.stream.max_per_user,
		authenticate: (offered) => guard.authenticate(offered),
		now: () => performance.now(),
	});
	const servers = new Map<keyof ListenerAddresses, Server>();
	let isClosed = parts.isClosed === true;
	const context: HttpContext = {
		engine: parts.engine,
		guard,
		options,
		logger,
		clock: parts.clock ?? { now: () => Date.now() * 1_000 },
		version,
		apiUrl: () => servers.get("api")?.url ?? `${options.api.use_ssl ? "https" : "http"}://${options.api.host}:${options.api.port}`,
		streams,
		metrics: new HttpMetrics(parts.meters ?? noMeters, streams),
		sseFanOuts: new SseFanOutHub(),
		bodies: new BodyMemory({ total: options.api.max_total_body_size, largest: options.api.max_body_size }),
		isStarting: () => isClosed,
		listener: "api",
		description: describeApi(routes, version),
		recorder: parts.recorder ?? noAuditHook,
	};
	const apps = createApps({ context, cors: createCors(options), page, documentation: parts.documentation }, routes);
	const mount = createMount(() => apps.at(basePath), logger);
	const addresses = () => Object.fromEntries([...servers].map(([listener, server]) => [listener, server.url])) as ListenerAddresses;
	const toApp = (name: ListenerName) => (name === "health" ? apps.health() : apps[name]);
	const stop = async () => {
		streams.stop();
		const openServers = [...servers.values()];
		servers.clear();
		await Promise.all([mount.stop(), ...openServers.map((server) => server.stop())]);
	};
	return {
		routes,
		hasPage: parts.page !== undefined,
		apiUrl: context.apiUrl,
		addresses,
		async start() {
			try {
				for (const { name, address } of selectEnabledListeners(options, roles))
					servers.set(name, await startServer(toApp(name), address, logger));
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

/** Describes the routes of a service. Document and page are generated at their first request. */
function describeApi(routes: readonly Route[], version: string): ApiDescriptionProvider {
	let createdDocument: ApiDocument | undefined;
	let createdPage: string | undefined;
	const document = () => (createdDocument ??= toDocument(routes, version));
	return { document, page: () => (createdPage ??= toPage(document())) };
}

/**
 * Creates the applications of the listeners. `at` returns the API application below a base path. `health` creates the application of the
 * health listener.
 */
function createApps(dependencies: PipelineDependencies, routes: readonly Route[]) {
	const api = createApp("api", routes, dependencies);
	return {
		auth: createApp("auth", routes, dependencies),
		api,
		stream: createApp("stream", routes, dependencies),
		health: () =>
			createApp(
				"api",
				routes.filter(({ isAlwaysOpen, isForMonitoring }) => isAlwaysOpen === true || isForMonitoring === true),
				dependencies,
			),
		at: (base: string) => (base === "" ? api : createApp("api", routes, dependencies, base)),
	};
}

/** Milliseconds for which stopping waits for requests in progress. */
const stopGraceMs = 2_000;
const stoppedReply = replyFault(503, "the service has been stopped");

/**
 * Creates the handlers for the server of an embedding program.
 *
 * @param createApp called at the first request, because most services are not embedded
 */
function createMount(createApp: () => H3, logger: Logger): Mount {
	const pendingResponses = new Set<Promise<unknown>>();
	let createdApp: H3 | undefined;
	let handleNode: ReturnType<typeof createNodeHandler> | undefined;
	let isStopped = false;

	const app = () => (createdApp ??= createApp());

	async function track<T>(response: Promise<T>): Promise<T> {
		pendingResponses.add(response);
		try {
			return await response;
		} finally {
			pendingResponses.delete(response);
		}
	}

	return {
		async fetch(request, { remoteAddress } = {}) {
			if (isStopped) return toResponse(stoppedReply);
			const host = request.headers.get("host");
			const hostProblem = findHostProblem(host === null ? [] : [host], { isNeeded: false });
			if (hostProblem !== undefined) return toResponse(replyFault(400, hostProblem));
			if (!request.bodyUsed) return track(Promise.resolve(app().request(request, undefined, { remoteAddress })));
			logger.error("request failed", { error: bodyAlreadyReadMessage });
			return toResponse(replyFault(500, bodyAlreadyReadMessage));
		},
		nodeHandler(request, response) {
			if (isStopped) {
				response.writeHead(stoppedReply.status, stoppedReply.headers).end(stoppedReply.body);
				return;
			}
			handleNode ??= createNodeHandler(app(), logger);
			void track(handleNode(request, response));
		},
		async stop() {
			isStopped = true;
			await settledWithin(Promise.allSettled(pendingResponses), stopGraceMs);
		},
	};
}

function toResponse({ body, ...rest }: Reply): Response {
	return new Response(body, rest);
}
