import { prepareDataDirectory } from "./config/data-directory.ts";
import { type ResolvedConfig, resolveConfig } from "./config/resolve-config.ts";
import { createParts, type Overrides } from "./container.ts";
import type { SvcConfig } from "./contract/index.ts";
import type { Engine, FirstUser } from "./engine/engine-api.ts";

export interface CreateOptions extends Overrides {
	/** Environment whose `SVC_…` variables override options. Default: none, so that an embedding program decides. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** Called with the first administrator when this start makes one, before anything listens. */
	readonly onFirstUser?: (user: FirstUser) => void;
	/** What relative paths of the configuration are relative to. Default: the working directory. */
	readonly directory?: string;
}

/** Where the components listen. */
export interface Addresses {
	readonly auth?: string;
	readonly api?: string;
	readonly stream?: string;
}

/** Engine and HTTP interface together. */
export interface Service {
	readonly engine: Engine;
	/** Answer a request as a component's listener would, without a socket. */
	fetch(component: keyof Addresses, request: Request): Promise<Response>;
	/** Start everything. `firstUser` is the administrator this start has made, if it made one. */
	start(): Promise<{ readonly addresses: Addresses; readonly firstUser?: FirstUser }>;
	/** Stop in order: claiming, runs (as configured), connections, plugins. May be called twice. */
	stop(): Promise<void>;
}

/**
 * A service from a configuration. Several may live in one process: no signal handlers, no `process.exit`, nothing global.
 * Throws `SVC_CONFIG` naming everything that is wrong.
 */
export function createService(config: SvcConfig, options: CreateOptions = {}): Service {
	const resolved = resolve(config, options);
	const parts = createParts(resolved, options);
	const { engine, http, logger } = parts;
	let starting: ReturnType<Service["start"]> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): ReturnType<Service["start"]> {
		await prepareDataDirectory(resolved.dataDirectory);
		for (const warning of resolved.warnings) logger.warn("configuration", { warning });
		try {
			await engine.start();
			// Before anybody can ask, and told at once: its password must be seen also when a listener cannot be opened.
			const firstUser = await engine.ensureFirstUser();
			if (firstUser !== undefined) options.onFirstUser?.(firstUser);
			const addresses = await http.start();
			return { addresses, ...(firstUser !== undefined && { firstUser }) };
		} catch (error) {
			await end().catch(() => undefined);
			throw error;
		}
	}

	async function stop(): Promise<void> {
		// What is being started is let finish, so that there is something whole to stop.
		await starting?.catch(() => undefined);
		await end();
	}

	async function end(): Promise<void> {
		// Runs end first, while their followers are still connected.
		await engine.drain();
		await http.stop();
		await engine.stop();
	}

	return {
		engine,
		fetch: http.fetch,
		start: () => {
			starting ??= start();
			return starting;
		},
		stop: () => (stopping ??= stop()),
	};
}

/** An engine without HTTP, for programs that call it directly. As `createService` otherwise. */
export function createEngine(config: SvcConfig, options: CreateOptions = {}): Engine {
	const resolved = resolve(config, options);
	const { engine } = createParts(resolved, options);
	return {
		...engine,
		async start() {
			await prepareDataDirectory(resolved.dataDirectory);
			return engine.start();
		},
	};
}

function resolve(config: SvcConfig, { env = {}, directory = process.cwd() }: CreateOptions): ResolvedConfig {
	return resolveConfig(config, { env, directory });
}
