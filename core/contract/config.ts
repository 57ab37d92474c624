import type { AuthBackendPlugin } from "./auth-backend.ts";
import type { DialectPlugin } from "./content-dialect.ts";
import type { EventBusPlugin } from "./event-bus.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { OptionsInput } from "./options-input.ts";
import type { RunnerPlugin } from "./runner.ts";
import type { SensorPlugin } from "./sensor.ts";
import type { StoragePlugin } from "./storage.ts";
import type { TelemetryPlugin } from "./telemetry.ts";

/** A webhook that announces pushes to a repository, with the parameters of a rule on `core.svc.webhook`. */
export interface GitPackWebhook {
	/** Path after `/v1/webhooks/`. Several packs may share it. */
	readonly url: string;
	/** Verification of the sender. Deliveries without a valid signature are refused. */
	readonly signature: {
		/** Signature scheme: `github`, `gitlab`, `standard`, `hmac`, … */
		readonly scheme: string;
		/** Names of system items of the datastore that hold the secret and, during a rotation, the next secret. */
		readonly secret_keys: readonly string[];
		/** Settings as in a rule: `tolerance`, and for `hmac` also `header`, `algorithm`, `encoding` and `prefix`. */
		readonly [setting: string]: JsonValue;
	};
	/** Detection of repeated deliveries. Default: as the scheme defines it, within one day. */
	readonly deduplicate?: JsonObject;
	/** True if deliveries are stored with their verdict. Default false. */
	readonly ledger?: boolean;
}

/** A pack in a git repository that the service follows. The service installs each new revision. An invalid revision changes nothing. */
export interface GitPack {
	/** Address of the repository in the form that `svc pack install` accepts, without user name and password. */
	readonly git: string;
	/** Branch, tag or version range. Default: the default branch of the repository. */
	readonly revision?: string;
	/** Directory of the pack within the repository. Default: the root of the repository. */
	readonly subdirectory?: string;
	/** Seconds between two polls of the repository, from 5 to 86,400. Default 60. */
	readonly interval?: number;
	/** Webhook that triggers a poll at once when a signed delivery arrives. Default: the service polls by `interval` only. */
	readonly webhook?: GitPackWebhook;
}

/** The plugins and directories of a service. */
export interface Composition<BackendName extends string = string> {
	/** Storage of all records. */
	readonly storage: StoragePlugin;
	/** Bus for wake-ups and live events between components and nodes. */
	readonly event_bus: EventBusPlugin;
	/** Runner types that actions may use. */
	readonly runners: readonly RunnerPlugin[];
	/** Sources of events; each one runs on exactly one node. Default none. */
	readonly sensors?: readonly SensorPlugin[];
	/** Compatibility with content of packs that was written for other services. Default none. */
	readonly dialects?: readonly DialectPlugin[];
	/** Receivers of metrics and traces. Default none. */
	readonly telemetry?: readonly TelemetryPlugin[];
	/**
	 * Functions that create auth backends, by name. `auth.backend` and the environment variable `SVC_AUTH_BACKEND` select one of them. Default
	 * none.
	 */
	readonly auth_backends?: Readonly<Record<BackendName, (kwargs: never) => AuthBackendPlugin>>;
	/**
	 * Directories of packs, and packs in git repositories that the service follows. Default none.
	 *
	 * A directory contains a `pack.yaml`, or directories with a `pack.yaml` each. It is relative to the configuration file.
	 */
	readonly packs?: readonly (string | GitPack)[];
	/**
	 * Directory of pack configurations, one `<pack>.yaml` for each pack, relative to the configuration file. Default: `configs` in the
	 * data directory.
	 */
	readonly configs?: string;
	/**
	 * Data directory, relative to the configuration file. Default `./data`. `SVC_DATA_DIR`, relative to the working directory, takes
	 * precedence.
	 */
	readonly data_dir?: string;
}

/**
 * The section `rbac`: roles, their assignments to users, and mappings of groups to roles. Grants only add permissions. The roles `admin`,
 * `system_admin` and `observer` always exist.
 */
export interface RbacConfig {
	readonly roles?: readonly {
		readonly name: string;
		readonly description?: string;
		/** Permission types on a resource (`action:core:local`, `pack:core`), or globally if no resource is named. */
		readonly permission_grants?: readonly { readonly resource_uid?: string; readonly permission_types: readonly string[] }[];
	}[];
	readonly assignments?: readonly { readonly username: string; readonly roles: readonly string[]; readonly description?: string }[];
	/** Roles for all members of a group of the auth backend. They are updated at each sign-in. */
	readonly mappings?: readonly { readonly group: string; readonly roles: readonly string[]; readonly description?: string }[];
}

/** The backend that verifies passwords. */
export interface AuthBackendChoice<BackendName extends string = string> {
	/** A plugin, or a name of `auth_backends`. Default: `flat_file` if `auth_backends` contains it. `SVC_AUTH_BACKEND` takes precedence. */
	readonly backend?: AuthBackendPlugin | BackendName;
	/** Arguments for a backend that is given by name: an object or its JSON. `SVC_AUTH_BACKEND_KWARGS` takes precedence. */
	readonly backend_kwargs?: string | Readonly<Record<string, unknown>>;
}

/** The export of `svc.config.ts`. Unknown sections and options are refused at start, with their path and a hint. */
export type SvcConfig<BackendName extends string = string> = Composition<BackendName> &
	Omit<OptionsInput, "auth" | "rbac"> & {
		readonly auth?: NonNullable<OptionsInput["auth"]> & AuthBackendChoice<NoInfer<BackendName>>;
		readonly rbac?: NonNullable<OptionsInput["rbac"]> & RbacConfig;
	};

/** Types a configuration in which `auth.backend` may be a name of `auth_backends`. Returns the configuration unchanged. */
export function defineConfig<BackendName extends string = never>(config: SvcConfig<BackendName>): SvcConfig {
	return config;
}
