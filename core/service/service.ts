import { type Logger, type NodeRole, type Options, type SvcConfig, SvcError } from "../contract/index.ts";
import type { FirstUser } from "../features/access/access-api.ts";
import type { Engine } from "../kernel/engine-api.ts";
import { findOpenDataDirectory, prepareDataDirectory } from "./config/data-directory.ts";
import { type ResolvedConfig, resolveConfig } from "./config/resolve-config.ts";
import { createParts, type Overrides } from "./container.ts";
import type { Http } from "./http.ts";

/** How a service or an engine is made from its configuration. */
export interface CreateOptions extends Overrides {
	/** Environment whose `SVC_…` variables override options. Default: none, so that an embedding program decides. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** Called with the first administrator when this start makes one, before anything listens. */
	readonly onFirstUser?: (user: FirstUser) => void;
	/** Parts of the service that this node runs, in the place of `node.only`. Default: what that says, which by default is all. */
	readonly only?: readonly NodeRole[];
	/** What relative paths of the configuration are relative to. Default: the working directory. */
	readonly directory?: string;
}

/** Where the components listen. */
export interface Addresses {
	readonly auth?: string;
	readonly api?: string;
	readonly stream?: string;
	/** What answers health checks and nothing else (`node.health_listen`). */
	readonly health?: string;
}

/** Engine and HTTP interface together. */
export interface Service {
	readonly engine: Engine;
	/**
	 * Answer a request as the API listener would, whether there is one or not: `/auth/v1`, `/api/v1` and `/stream/v1`. For hosts with
	 * web-standard requests. 503 before `start` and after `stop`; never rejects.
	 */
	readonly fetch: Http["fetch"];
	/**
	 * The same for `node:http` and what is built on it, such as Express and Fastify. The body must not have been read. Connections stay
	 * the host's.
	 */
	readonly nodeHandler: Http["nodeHandler"];
	/**
	 * Start everything: the listeners first, which answer 503 until the rest has started. Where the storage is for several processes
	 * and is away, waits for it until `stop` is called; rejects then. `firstUser` is the administrator this start has made, if it
	 * made one.
	 */
	start(): Promise<{ readonly addresses: Addresses; readonly firstUser?: FirstUser }>;
	/** Stop in order: claiming, runs (as configured), connections, plugins. Event streams end, also those of `fetch`. May be called twice. */
	stop(): Promise<void>;
	/** `stop`, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
	/** `stop` without waiting for runs, which end `abandoned`: also for a stop under way. */
	abort(): Promise<void>;
}

/**
 * A service from a configuration. Several may live in one process: no signal handlers, no `process.exit`, nothing global.
 * Throws `SVC_CONFIG` naming everything that is wrong.
 */
export function createService(config: SvcConfig, options: CreateOptions = {}): Service {
	assertBasePath(options.basePath);
	const resolved = resolve(config, options);
	const parts = createParts(resolved, options);
	const { engine, http, logger } = parts;
	let starting: ReturnType<Service["start"]> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): ReturnType<Service["start"]> {
		await prepareData(resolved, logger);
		for (const warning of resolved.warnings) logger.warn("configuration", { warning });
		logOpenAccess(resolved.options, logger);
		try {
			const addresses = await http.start();
			await engine.start();
			// Before anybody can ask.
			const firstUser = await engine.ensureFirstUser();
			if (firstUser !== undefined) options.onFirstUser?.(firstUser);
			http.open();
			return { addresses, ...(firstUser !== undefined && { firstUser }) };
		} catch (error) {
			await end().catch(() => undefined);
			throw error;
		}
	}

	async function stop(): Promise<void> {
		// A start that waits for something gives up; any other is let finish, so that there is something whole to stop.
		const drained = engine.drain();
		await starting?.catch(() => undefined);
		await drained;
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
		nodeHandler: http.nodeHandler,
		start: () => {
			starting ??= start();
			return starting;
		},
		stop: () => (stopping ??= stop()),
		[Symbol.asyncDispose]: () => (stopping ??= stop()),
		async abort() {
			stopping ??= stop();
			await engine.abort();
			await stopping;
		},
	};
}

/** An engine without HTTP, for programs that call it directly. As `createService` otherwise. */
export function createEngine(config: SvcConfig, options: CreateOptions = {}): Engine {
	const resolved = resolve(config, options);
	const { engine, logger } = createParts(resolved, options);
	return {
		...engine,
		async start() {
			await prepareData(resolved, logger);
			return engine.start();
		},
	};
}

/** Says at every start who is an administrator without having been made one, and how to change that. */
function logOpenAccess({ auth, rbac }: Options, logger: Logger): void {
	if (!auth.enable) {
		const hint = "set auth.enable: true, and rbac.enable: true with roles";
		logger.warn("everybody who reaches this service is an administrator", { reason: "auth.enable is false", hint });
	} else if (!rbac.enable) {
		const hint = "set rbac.enable: true and give roles in rbac.assignments (docs/guides/roles.md)";
		logger.warn("every user is an administrator", { reason: "rbac.enable is false", hint });
	}
}

async function prepareData({ dataDirectory }: ResolvedConfig, logger: Logger): Promise<void> {
	await prepareDataDirectory(dataDirectory);
	const warning = await findOpenDataDirectory(dataDirectory);
	if (warning !== undefined) logger.warn("configuration", { warning });
}

function resolve(config: SvcConfig, { env = {}, directory = process.cwd(), only }: CreateOptions): ResolvedConfig {
	return resolveConfig(config, { env, directory, only });
}

function assertBasePath(path: string | undefined): void {
	if (path === undefined || path === "" || /^(?:\/[\w.~-]+)+$/.test(path)) return;
	throw new SvcError("SVC_CONFIG", `basePath: "${path}" must begin with a slash and end without one, such as /automation`);
}
