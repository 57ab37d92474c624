import { type Logger, type NodeRole, nodeRoles, type Options } from "../contract/index.ts";
import type { Engine } from "../engine/engine-api.ts";
import { createTrustedProxies } from "../engine/trusted-proxies.ts";
import { createApp } from "./app.ts";
import { createCors } from "./cors.ts";
import { findListeners, type ListenerName } from "./listeners.ts";
import { OpenStreams } from "./open-streams.ts";
import type { Component, HttpContext, Route } from "./route.ts";
import { healthRoutes } from "./routes/health.ts";
import { routes } from "./routes/index.ts";
import { type Server, startServer } from "./server.ts";

/** What the HTTP interface is made from. */
export interface HttpOptions {
	readonly engine: Engine;
	readonly options: Options;
	/** Parts of the service that this node runs. Default: all of them. */
	readonly roles?: readonly NodeRole[];
	readonly logger: Logger;
	/** Version of the service, shown by the index. Default `0.0.0`. */
	readonly version?: string;
}

/** The service's HTTP interface. */
export interface Http {
	/** Every route, for tests that walk them. */
	readonly routes: readonly Route[];
	/**
	 * Open the listeners that are switched on and that the node's roles need; their addresses. When one fails, none stays open. With
	 * `isClosed` they answer 503 to everything but the health checks until `open` is called.
	 */
	start(options?: { readonly isClosed?: boolean }): Promise<ListenerAddresses>;
	/** The service has started: answer what is asked. */
	open(): void;
	/** Addresses of the listeners that are open. */
	addresses(): ListenerAddresses;
	/** Address of the API listener: the real one once it listens, else what the options say. */
	apiUrl(): string;
	/** End the event streams, answer what is being answered, close. May be called twice. */
	stop(): Promise<void>;
	/** Answer a request as a component's listener would, without a socket. */
	fetch(component: Component, request: Request): Promise<Response>;
}

/** Where the listeners are; `health` answers health checks only. */
export type ListenerAddresses = { readonly [L in ListenerName]?: string };

/** The HTTP interface over an engine. Throws when a route declares no permission. */
export function createHttp({ engine, options, roles = nodeRoles, logger, version = "0.0.0" }: HttpOptions): Http {
	const streams = new OpenStreams();
	const servers = new Map<keyof ListenerAddresses, Server>();
	let isClosed = false;
	const cors = createCors(options);
	const context: HttpContext = {
		engine,
		options,
		logger,
		version,
		apiUrl: () => servers.get("api")?.url ?? `${options.api.use_ssl ? "https" : "http"}://${options.api.host}:${options.api.port}`,
		openStream: (request) => streams.open(request),
		isClosed: () => isClosed,
		isTrustedProxy: createTrustedProxies(options.auth.trusted_proxies),
	};
	const apps = {
		auth: createApp("auth", routes, { context, cors }),
		api: createApp("api", routes, { context, cors }),
		stream: createApp("stream", routes, { context, cors }),
	};
	const addresses = () => Object.fromEntries([...servers].map(([listener, server]) => [listener, server.url])) as ListenerAddresses;
	const toApp = (name: ListenerName) => (name === "health" ? createApp("api", healthRoutes, { context, cors }) : apps[name]);
	const stop = async () => {
		streams.stop();
		const open = [...servers.values()];
		servers.clear();
		await Promise.all(open.map((server) => server.stop()));
	};
	return {
		routes,
		apiUrl: context.apiUrl,
		addresses,
		async start(given) {
			isClosed = given?.isClosed === true;
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
		fetch: async (component, request) => apps[component].fetch(request),
	};
}
