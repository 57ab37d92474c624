import "reflect-metadata";
import { container, type DependencyContainer, type InjectionToken, instanceCachingFactory } from "tsyringe";
import type { Clock, Logger } from "../contract/index.ts";
import { getSystemClock } from "../kernel/basics/clock.ts";
import { createEngineOf } from "../kernel/engine.ts";
import type { Engine } from "../kernel/engine-api.ts";
import type { EngineDependencies } from "../kernel/plugins/engine-dependencies.ts";
import type { ResolvedConfig } from "./config/resolve-config.ts";
import { listSecretStrings } from "./config/secret-options.ts";
import { createServiceHttp, type HttpInterface } from "./create-http.ts";
import { toDependencies } from "./engine-dependencies.ts";
import { type ServiceLogger, toServiceLogger } from "./logger.ts";
import { version } from "./version.ts";

/** Parts of a service that an embedding program may replace. */
export interface ComponentOverrides {
	/**
	 * Log that receives the lines, such as `console`. Its methods are called with a constant message and fields. Secrets are masked first, and
	 * `log.level` limits what is passed on. Default: lines of JSON to stderr.
	 */
	readonly logger?: Logger;
	readonly clock?: Clock;
	/** Password of the first administrator. Default: a random password. */
	readonly adminPassword?: string;
	/**
	 * Path under which the host mounts `fetch` and `nodeHandler`, such as `/automation`. Needed only if request URLs still contain it:
	 * Express, for example, removes it.
	 */
	readonly basePath?: string;
}

/** The parts of one service. Each service has its own container, so that several services in one process share nothing. */
export interface ServiceComponents {
	readonly logger: ServiceLogger;
	readonly engine: Engine;
	readonly http: HttpInterface;
}

const tokens = {
	logger: Symbol("svc:logger") as InjectionToken<ServiceLogger>,
	clock: Symbol("svc:clock") as InjectionToken<Clock>,
	engine: Symbol("svc:engine") as InjectionToken<Engine>,
	http: Symbol("svc:http") as InjectionToken<HttpInterface>,
};

/** Creates the parts of a service, without starting them. This is the composition root: only this function connects the parts. */
export function createServiceComponents(
	config: ResolvedConfig,
	overrides: ComponentOverrides & Pick<EngineDependencies, "startsInline">,
): ServiceComponents {
	const scope = container.createChildContainer();
	const { options } = config;
	provide(scope, tokens.logger, () => {
		const logger = toServiceLogger(overrides.logger, options.log, options.system.debug);
		for (const secret of listSecretStrings(options, config.sections)) logger.addSecret(secret, { always: true });
		return logger;
	});
	provide(scope, tokens.clock, () => overrides.clock ?? getSystemClock());
	provide(
		scope,
		tokens.engine,
		() =>
			// The cast is unsafe only for a configuration that leaves out features: its engine lacks their members, and its code must not use them.
			createEngineOf(
				toDependencies(config, {
					logger: scope.resolve(tokens.logger),
					clock: scope.resolve(tokens.clock),
					adminPassword: overrides.adminPassword,
					startsInline: overrides.startsInline,
					apiUrl: () => options.auth.api_url || scope.resolve(tokens.http).apiUrl(),
					addresses: () => ({ ...scope.resolve(tokens.http).addresses() }),
				}),
				config.features,
			) as Engine,
	);
	provide(scope, tokens.http, () =>
		createServiceHttp({
			engine: scope.resolve(tokens.engine),
			options,
			roles: config.roles,
			logger: scope.resolve(tokens.logger).withTag("http"),
			clock: scope.resolve(tokens.clock),
			version,
			isClosed: true,
			meters: scope.resolve(tokens.engine).telemetry,
			basePath: overrides.basePath,
		}),
	);
	return {
		logger: scope.resolve(tokens.logger),
		get engine() {
			return scope.resolve(tokens.engine);
		},
		get http() {
			return scope.resolve(tokens.http);
		},
	};
}

function provide<T>(scope: DependencyContainer, token: InjectionToken<T>, create: () => T): void {
	scope.register(token, { useFactory: instanceCachingFactory(create) });
}
