import type { Logger, Options } from "../contract/index.ts";
import type { Engine } from "../engine/engine-api.ts";
import { createTrustedProxies } from "../engine/trusted-proxies.ts";
import { createApp } from "./app.ts";
import { createCors } from "./cors.ts";
import { OpenStreams } from "./open-streams.ts";
import type { Component, HttpContext, Route } from "./route.ts";
import { routes } from "./routes/index.ts";
import { type Server, startServer } from "./server.ts";

export interface HttpOptions {
	readonly engine: Engine;
	readonly options: Options;
	readonly logger: Logger;
	/** Version of the service, shown by the index. Default `0.0.0`. */
	readonly version?: string;
}

/** The service's HTTP interface. */
export interface Http {
	/** Every route, for tests that walk them. */
	readonly routes: readonly Route[];
	/** Open the listeners that are switched on; their addresses. When one fails, none stays open. */
	start(): Promise<{ readonly [C in Component]?: string }>;
	/** Address of the API listener: the real one once it listens, else what the options say. */
	apiUrl(): string;
	/** End the event streams, answer what is being answered, close. May be called twice. */
	stop(): Promise<void>;
	/** Answer a request as a component's listener would, without a socket. */
	fetch(component: Component, request: Request): Promise<Response>;
}

const components = ["auth", "api", "stream"] as const;

/** The HTTP interface over an engine. Throws when a route declares no permission. */
export function createHttp({ engine, options, logger, version = "0.0.0" }: HttpOptions): Http {
	const streams = new OpenStreams();
	const servers = new Map<Component, Server>();
	const cors = createCors(options);
	const context: HttpContext = {
		engine,
		options,
		logger,
		version,
		apiUrl: () => servers.get("api")?.url ?? `${options.api.use_ssl ? "https" : "http"}://${options.api.host}:${options.api.port}`,
		openStream: (request) => streams.open(request),
		isTrustedProxy: createTrustedProxies(options.auth.trusted_proxies),
	};
	const apps = {
		auth: createApp("auth", routes, { context, cors }),
		api: createApp("api", routes, { context, cors }),
		stream: createApp("stream", routes, { context, cors }),
	};
	const stop = async () => {
		streams.stop();
		const open = [...servers.values()];
		servers.clear();
		await Promise.all(open.map((server) => server.stop()));
	};
	return {
		routes,
		apiUrl: context.apiUrl,
		async start() {
			const urls: { [C in Component]?: string } = {};
			try {
				for (const component of components) {
					if (!options[component].listen) continue;
					const server = await startServer(apps[component], { section: component, ...options[component] }, logger);
					servers.set(component, server);
					urls[component] = server.url;
				}
			} catch (error) {
				await stop();
				throw error;
			}
			return urls;
		},
		stop,
		fetch: async (component, request) => apps[component].fetch(request),
	};
}
