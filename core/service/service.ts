import { type Logger, type NodeRole, type Options, type SvcConfig, SvcError } from "../contract/index.ts";
import type { FirstUser } from "../features/access/access-exports.ts";
import type { Engine } from "../kernel/engine-api.ts";
import { findOpenDataDirectory, prepareDataDirectory } from "./config/data-directory.ts";
import { findLeftOutFeatures } from "./config/left-out-features.ts";
import { type ResolvedConfig, resolveConfig } from "./config/resolve-config.ts";
import type { HttpInterface } from "./create-http.ts";
import { type ComponentOverrides, createServiceComponents } from "./service-components.ts";

/** Options for creating a service or an engine from its configuration. */
export interface CreateOptions extends ComponentOverrides {
	/** Environment whose `SVC_…` variables override options. Default: none, so that the embedding program controls all options. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** Called with the first administrator if this start creates one, before the service accepts requests. */
	readonly onFirstUser?: (user: FirstUser) => void;
	/** Roles that this node runs, instead of those in `node.only`. Default: `node.only`, which by default means all roles. */
	readonly only?: readonly NodeRole[];
	/** Directory against which relative paths of the configuration are resolved. Default: the working directory. */
	readonly directory?: string;
}

/** Addresses at which the components listen. */
export interface Addresses {
	readonly auth?: string;
	readonly api?: string;
	readonly stream?: string;
	/** Address that only answers health checks (`node.health_listen`). */
	readonly health?: string;
	/** Address of the web page, if a feature such as `webUi()` provides one and the API listens. */
	readonly page?: string;
}

/** The engine together with its HTTP interface. */
export interface Service {
	readonly engine: Engine;
	/**
	 * Answers a request like the API listener, even if there is no listener: `/auth/v1`, `/api/v1` and `/stream/v1`. For hosts with
	 * web-standard requests. Answers 503 before `start` and after `stop`; never rejects.
	 */
	readonly fetch: HttpInterface["fetch"];
	/**
	 * Answers a request like `fetch`, for `node:http` and frameworks built on it, such as Express and Fastify. The body must not have been
	 * read. The host remains responsible for connections.
	 */
	readonly nodeHandler: HttpInterface["nodeHandler"];
	/**
	 * Starts the service. The listeners start first and answer 503 until the other parts have started. If a storage for several processes
	 * is unavailable, waits for it until `stop` is called, and then rejects. Resolves with `firstUser` if this start created the first
	 * administrator.
	 */
	start(): Promise<{ readonly addresses: Addresses; readonly firstUser?: FirstUser }>;
	/**
	 * Stops in order: claiming, runs (as configured), connections, plugins. Ends event streams, including those of `fetch`. May be called
	 * twice.
	 */
	stop(): Promise<void>;
	/** Calls `stop`; for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
	/** Stops without waiting for runs, which end as `abandoned`. Also shortens a stop that is in progress. */
	abort(): Promise<void>;
}

/**
 * Creates a service from a configuration. Several services may run in one process: it installs no signal handlers, never calls
 * `process.exit`, and changes nothing global. Throws `SVC_CONFIG` that names all problems.
 */
export function createService(config: SvcConfig, options: CreateOptions = {}): Service {
	assertBasePath(options.basePath);
	const resolved = resolve(config, options);
	const parts = createServiceComponents(resolved, options);
	const { engine, http, logger } = parts;
	let starting: ReturnType<Service["start"]> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): ReturnType<Service["start"]> {
		await prepareData(resolved, logger);
		for (const warning of resolved.warnings) logger.warn("configuration", { warning });
		logOpenAccess(resolved.options, logger);
		logLeftOutFeatures(resolved, logger);
		try {
			const listeners = await http.start();
			const addresses = { ...listeners, ...(http.hasPage && listeners.api !== undefined && { page: `${listeners.api}/` }) };
			await engine.start();
			// Create the user before the service accepts requests.
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
		// Draining makes a start that waits for the storage fail. Any other start finishes first, so that only started parts are stopped.
		const drained = engine.drain();
		await starting?.catch(() => undefined);
		await drained;
		await end();
	}

	async function end(): Promise<void> {
		// Runs end first, while the clients that follow them are still connected.
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

/** Creates an engine without HTTP, for programs that call it directly. Throws `SVC_CONFIG` like `createService`. */
export function createEngine(config: SvcConfig, options: CreateOptions = {}): Engine {
	const resolved = resolve(config, options);
	const { engine, logger } = createServiceComponents(resolved, options);
	return {
		...engine,
		async start() {
			await prepareData(resolved, logger);
			return engine.start();
		},
	};
}

/** Warns at every start if users are administrators without a role, and describes how to change that. */
function logOpenAccess({ auth, rbac }: Options, logger: Logger): void {
	if (!auth.enable) {
		const hint = "set auth.enable: true, and rbac.enable: true with roles";
		logger.warn("authentication is off: every client is an administrator", { reason: "auth.enable is false", hint });
	} else if (!rbac.enable) {
		const hint = "set rbac.enable: true and assign roles in rbac.assignments (docs/guides/roles.md)";
		logger.warn("every user is an administrator", { reason: "rbac.enable is false", hint });
	}
}

function logLeftOutFeatures({ addedFeatures }: ResolvedConfig, logger: Logger): void {
	const leftOut = findLeftOutFeatures(addedFeatures);
	if (leftOut.length > 0) logger.info("features of this package that the configuration leaves out", { features: leftOut });
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
