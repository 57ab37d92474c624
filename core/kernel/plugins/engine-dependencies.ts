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
	RoleConfig,
	RunnerPlugin,
	SensorPlugin,
	StoragePlugin,
	TelemetryPlugin,
} from "../../contract/index.ts";

/** A log that gives logs under a name. */
export type TaggedLogger = Logger & { withTag(tag: string): Logger };

/** A log that can also be told which values must never show in it. */
export interface SecretKeeper {
	addSecret(value: string, options?: { readonly always?: boolean }): void;
	forgetSecret(value: string): void;
}

/** What an engine is made from: a resolved configuration and what the embedding program supplies. */
export interface EngineDependencies {
	readonly options: Options;
	/** Parts of the service that this node runs. */
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
	/** Section `rbac` beside its options. */
	readonly access: RoleConfig;
	/** Absolute pack directories, or directories of pack directories. */
	readonly packs: readonly string[];
	/** Packs in git that are installed when they change there. */
	readonly followedPacks: readonly GitPack[];
	/** Absolute directory of pack configurations; may not exist. */
	readonly configs: string;
	/** Absolute; exists. */
	readonly dataDirectory: string;
	readonly logger: TaggedLogger & SecretKeeper;
	readonly clock: Clock;
	/** Password of the first administrator; random when undefined. */
	readonly adminPassword: string | undefined;
	/** Base address of the API without version, as running actions should call it; known once the service listens. */
	readonly apiUrl: () => string;
	/** Where the components of this node listen, by component; empty without listeners. */
	readonly addresses: () => JsonObject;
	/** Version of the service. */
	readonly version: string;
}
