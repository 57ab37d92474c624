import type {
	AuthBackendPlugin,
	Clock,
	DialectPlugin,
	EventBusPlugin,
	GitPack,
	JsonObject,
	Logger,
	NodeRole,
	Options,
	RbacConfig,
	RunnerPlugin,
	SensorPlugin,
	StoragePlugin,
	TelemetryPlugin,
} from "../../contract/index.ts";

/** Logger from which loggers with tagged entries can be created. */
export type TaggableLogger = Logger & { withTag(tag: string): Logger };

/** Registry of secret values, which a logger must never write. */
export interface SecretRegistry {
	addSecret(value: string, options?: { readonly always?: boolean }): void;
	forgetSecret(value: string): void;
}

/** Input for creating an engine: the resolved configuration, and the objects that the embedding program supplies. */
export interface EngineDependencies {
	readonly options: Options;
	/** Roles of this node: the parts of the service that it runs. */
	readonly roles: readonly NodeRole[];
	readonly composition: {
		readonly storage: StoragePlugin;
		readonly eventBus: EventBusPlugin;
		readonly runners: readonly RunnerPlugin[];
		readonly sensors: readonly SensorPlugin[];
		readonly dialects: readonly DialectPlugin[];
		readonly telemetry: readonly TelemetryPlugin[];
		readonly authBackend: AuthBackendPlugin | undefined;
	};
	/** Section `rbac` of the configuration, without its options. */
	readonly access: RbacConfig;
	/** Absolute paths of pack directories, or of directories that contain pack directories. */
	readonly packs: readonly string[];
	/** Packs that are installed from git repositories. Each is installed again whenever its repository changes. */
	readonly followedPacks: readonly GitPack[];
	/** Absolute path of the directory of pack configurations. The directory need not exist. */
	readonly configs: string;
	/** Absolute path of the data directory. The directory exists. */
	readonly dataDirectory: string;
	readonly logger: TaggableLogger & SecretRegistry;
	readonly clock: Clock;
	/** Password of the first administrator. Default: a random one. */
	readonly adminPassword: string | undefined;
	/** Returns the base URL of the API, without version, that running actions must call. Available once the service listens. */
	readonly apiUrl: () => string;
	/** Returns the addresses on which this node listens, by component; empty without listeners. */
	readonly addresses: () => JsonObject;
	readonly version: string;
	/**
	 * False in some tests: new executions are inserted as requested. Default true: an execution that can start at once is inserted as running.
	 */
	readonly startsInline?: boolean | undefined;
}
